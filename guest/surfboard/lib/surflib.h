/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * surflib.h - the Surf library (TR-596-99, B.1): a SurfBoard through its driver, surf.ko.
 *
 *   int board = surf_Open(NULL);                      /dev/surf0
 *   uint32_t count;
 *   surf_PutReg(board, SURF_HTCR, SURF_HTCR_WEN);      registers: guest/surfboard/regs.h
 *   ...
 *   surf_GetReg(board, SURF_WCDR, &count);
 *   surf_Close(board);
 *
 * A board is the file descriptor of its device: poll() may be used on it (POLLPRI while an
 * exception is there), and it is the caller's to pass to mmap().
 *
 * Every function returns a negative number and sets errno when it fails. None allocates memory or
 * keeps state, so different threads may use one board; a sequence such as the 28 accesses of ACDR
 * is theirs to keep together. The paper tells the names; the calling sequences, which its surflib.h
 * had, are INFERRED.
 *
 * errno, besides what the system gives for the device (ENOENT, EACCES, EBUSY, ...):
 *   EBADF   not an open board        ENOTTY  open, but not a SurfBoard
 *   EINVAL  no such register, or an offset that is not in the memory
 *   ENXIO   the memory's SIMM socket is empty
 *   EIO     surf_ConfigHAS: the FPGA did not take the bitstream
 *   EINTR   a signal came while waiting
 *
 * Usable from C and C++.
 */
#ifndef PERFBOARD_SURFLIB_H
#define PERFBOARD_SURFLIB_H

#include <stddef.h>
#include <stdint.h>

#include "../regs.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SURF_DEFAULT_DEVICE "/dev/surf0"
#define SURF_WAIT_FOREVER (-1)

/* Open a board; NULL is SURF_DEFAULT_DEVICE. Returns the board. */
int surf_Open(const char *device);
/* Returns 0. */
int surf_Close(int board);

/* One 32-bit access to the register at an offset such as SURF_HTCR. Returns 0. Reading HFDR takes
 * an entry from the FIFO; the others are read without effect. */
int surf_GetReg(int board, uint32_t offset, uint32_t *value);
int surf_PutReg(int board, uint32_t offset, uint32_t value);

/* Size of the trace and the histogram memory in bytes, 0 for an empty socket: up to 64 MB. */
int64_t surf_GetTSize(int board);
int64_t surf_GetHSize(int board);

/* Copy bytes of the board's memory, from an offset in bytes, to local memory or back.
 * All of it is copied, and 0 returned; or, on failure, a part may have been copied. */
int surf_GetTMem(int board, uint32_t offset, void *local, size_t bytes);
int surf_PutTMem(int board, uint32_t offset, const void *local, size_t bytes);
int surf_GetHMem(int board, uint32_t offset, void *local, size_t bytes);
int surf_PutHMem(int board, uint32_t offset, const void *local, size_t bytes);

/* Configure the Histogram Address Selector with a bitstream: first bit in bit 7 of the first byte.
 * Returns 0 when DONE is set. After a failure FCCR tells more. */
int surf_ConfigHAS(int board, const void *bits, size_t bytes);

/* Wait for an exception (interrupt) for so many milliseconds, 0 not at all, SURF_WAIT_FOREVER.
 * Returns how many came since the last surf_ClearException (at least 1) and, if iscr is not NULL,
 * ISCR as it was at the last; 0 if the time ran out. */
int surf_WaitException(int board, int timeout_ms, uint32_t *iscr);
/* Forget the exceptions and let those conditions interrupt again; clear them in ISCR first. Returns 0. */
int surf_ClearException(int board);

#ifdef __cplusplus
}
#endif
#endif
