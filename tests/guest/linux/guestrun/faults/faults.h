/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What only a kernel reports that looks for it: faults_main.c says which words there are. Others do nothing. */
#ifndef FAULTS_H
#define FAULTS_H

void faults_debug(const char *what);

#endif
