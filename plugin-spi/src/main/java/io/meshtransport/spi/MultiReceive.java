// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.util.Objects;

/**
 * A receive that several messages fill one after another (libfabric's FI_MULTI_RECV, {@code
 * fi_msg(3)}): memory for floods of small messages, or for messages of unknown lengths, without a
 * receive of the largest length for each. {@link Connection#irecv(MultiReceive, long, long)} posts
 * it, as often as its caller likes, one after another. Immutable.
 *
 * <p>The first message begins where the memory does, each further one at the next multiple of
 * {@value #ALIGNMENT_BYTES} bytes from there. It takes messages until it has had as many as it may,
 * or until less than the longest one is free. So every message of up to that length finds space.
 *
 * @param memory registered with the connection's transport
 * @param offsetBytes where it begins in the memory
 * @param lengthBytes of all of it, at most {@link Transport#MAX_MESSAGE_BYTES}
 * @param longestBytes length of the longest message, 0 to {@code lengthBytes}; a longer one is not
 *     received but fails on both sides with MESSAGE_TOO_LONG, as it ends this receive, and the
 *     connection goes on
 * @param messages most messages, 1 to {@value #MAX_MESSAGES}, and at most 8 x {@link
 *     Connection#maxRequests()}; each takes a receive of the queue pair while this is posted
 * @param tag must equal the sends'
 */
public record MultiReceive(
    RegisteredMemory memory,
    long offsetBytes,
    long lengthBytes,
    long longestBytes,
    int messages,
    int tag) {
  /** Most messages of one. */
  public static final int MAX_MESSAGES = 256;

  /** Distances between the messages' beginnings are multiples of it, in bytes. */
  public static final int ALIGNMENT_BYTES = 8;

  /**
   * @throws IllegalArgumentException for lengths or a number out of range
   */
  public MultiReceive {
    Objects.requireNonNull(memory, "memory");
    if (lengthBytes < 0 || longestBytes < 0 || longestBytes > lengthBytes) {
      throw new IllegalArgumentException(
          "messages of up to "
              + longestBytes
              + " bytes in a multi-receive of "
              + lengthBytes
              + ": it must have space for the longest");
    }
    if (messages < 1 || messages > MAX_MESSAGES) {
      throw new IllegalArgumentException(
          "a multi-receive of " + messages + " messages: 1 to " + MAX_MESSAGES + " are possible");
    }
  }

  /**
   * Where the message after another one begins.
   *
   * @param beginBytes where that one began, from the beginning of the multi-receive
   * @param messageBytes length of that one
   * @return from the same beginning
   */
  public static long next(long beginBytes, long messageBytes) {
    return beginBytes + messageBytes + ALIGNMENT_BYTES - 1 & -ALIGNMENT_BYTES;
  }
}
