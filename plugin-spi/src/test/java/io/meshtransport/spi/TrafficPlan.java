// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.spi;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;

/**
 * The model of one channel's random traffic: what is sent, and in which order it is received. The
 * n-th receive of a tag gets the n-th message of that tag, so both orders together say everything.
 *
 * <p>Receives are shuffled within windows smaller than the number of requests that can be
 * outstanding: otherwise both ends, each full, could wait for each other.
 */
final class TrafficPlan {
  static final int MAX_LENGTH_BYTES = 4_096;

  private static final int WINDOW = Transport.MAX_REQUESTS / 4;
  private static final int TAGS = 5;

  /** One message and the capacity of its receive. */
  record Message(int tag, int lengthBytes, int roomBytes, long seed) {
    boolean tooLong() {
      return lengthBytes > roomBytes;
    }
  }

  private final List<Message> sends = new ArrayList<>();
  private final List<Message> receives = new ArrayList<>();

  TrafficPlan(Random random, int messages) {
    for (int i = 0; i < messages; i++) {
      int length = random.nextInt(4) == 0 ? random.nextInt(3) : random.nextInt(MAX_LENGTH_BYTES);
      boolean tooLong = length > 0 && random.nextInt(20) == 0;
      int capacity =
          tooLong ? random.nextInt(length) : length + random.nextInt(MAX_LENGTH_BYTES - length + 1);
      sends.add(new Message(random.nextInt(TAGS), length, capacity, random.nextLong()));
    }
    List<Integer> tags = new ArrayList<>();
    Map<Integer, Queue<Message>> perTag = new HashMap<>();
    for (Message message : sends) {
      tags.add(message.tag());
      perTag.computeIfAbsent(message.tag(), tag -> new ArrayDeque<>()).add(message);
    }
    for (int i = 0; i < messages; i += WINDOW) {
      Collections.shuffle(tags.subList(i, Math.min(messages, i + WINDOW)), random);
    }
    tags.forEach(tag -> receives.add(perTag.get(tag).remove()));
  }

  /** In the order of sending. */
  List<Message> sends() {
    return sends;
  }

  /** In the order of receiving. */
  List<Message> receives() {
    return receives;
  }
}
