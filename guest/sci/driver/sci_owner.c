// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sci.ko: whose a page of the window is. It is the user's who first touched it or set its home, as
 * long as that user has the adapter open. Another user may not move it.
 */
#include <linux/capability.h>

#include "sci.h"

void sci_own(struct sci_card *card, u32 first, u32 count, kuid_t user)
{
	u32 n;

	for (n = first; n < first + count && n < card->pages; n++)
		if (!uid_valid(card->owner[n]))
			card->owner[n] = user;
}

bool sci_may_move(struct sci_card *card, u32 first, u32 count, kuid_t user)
{
	u32 n;

	for (n = first; n < first + count; n++)
		if (uid_valid(card->owner[n]) && !uid_eq(card->owner[n], user))
			return capable(CAP_SYS_ADMIN);
	return true;
}

void sci_disown(struct sci_card *card, kuid_t user)
{
	u32 n;

	for (n = 0; n < card->pages; n++)
		if (uid_eq(card->owner[n], user))
			card->owner[n] = INVALID_UID;
}
