/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The names that lists use: who has defined them gives them back. */
#undef BEGIN
#undef MEMBER
#undef ARRAY
#undef ARRAY2
#undef PART
#undef PARTS
#undef UNSAVED
#undef UNSAVED_ARRAY
#undef END
