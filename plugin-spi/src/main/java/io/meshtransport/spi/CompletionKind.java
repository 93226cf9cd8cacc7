// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

/** What an entry of {@link Completions} reports. */
public enum CompletionKind {
  /** A send has ended: the peer has every byte. */
  SENT,

  /** A receive has ended: its message is in its memory, or all of its messages are. */
  RECEIVED,

  /**
   * A message of a {@link MultiReceive} has come: {@link Completions#offsetBytes} and {@link
   * Completions#lengthBytes} say where in its memory. The request goes on, and keeps the memory,
   * until its own end, which is reported behind all of its messages.
   */
  MESSAGE,

  /** A put has ended, as {@link SendChannel#iput(TransferList, long)} says. */
  PUT,

  /** A get has ended: its bytes are in local memory. */
  GOT,

  /**
   * A put of the peer's has ended here, of which it gives notice: all its bytes are in memory.
   * {@link Completions#notice} is the peer's number.
   */
  NOTICE,

  /**
   * A message of the peer's waits, because there was no receive with its tag when it was sent:
   * {@link Completions#tag} and {@link Completions#lengthBytes} say what receive it needs. Reported
   * once for each such message, and only at an end that has {@link
   * ConnectOptions#reportUnexpected}.
   */
  UNEXPECTED,

  /** A receive that {@link Connection#withdraw} took back: no message has come, and none will. */
  WITHDRAWN,

  /** A request has failed; {@link Completions#failure} says why. */
  FAILED,

  /**
   * The connection can do no more: all its requests have been reported before, and this is the last
   * entry about it. {@link Completions#failure} says why; its reason is CLOSED where this end
   * closed it. {@link Connection#close} it, if that was not done.
   */
  CLOSED
}
