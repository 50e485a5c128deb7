/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program for a guest of somebody else's, compiled with what pkg-config says of perfboard-guest: no driver is there. */
#include <perfboard/multikron/lib/mklib.h>
#include <perfboard/power2/uapi.h>
#include <perfboard/surfboard/lib/surflib.h>
#include <perfboard/surfboard/uapi.h>

#include <stdio.h>

int main(void)
{
	printf("%d %zu\n", surf_Open("/nowhere/surf0") < 0, sizeof(struct surf_reg));
	return 0;
}
