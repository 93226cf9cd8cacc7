// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;

/**
 * What the messages of one direction hold: every byte follows from the seed, who sends, who
 * receives, and the number of the message. So a byte that is lost, doubled, swapped, stale, or from
 * another message or channel is noticed.
 *
 * @param seed of the whole run
 * @param from name of the sender
 * @param to name of the receiver
 */
public record MessageContent(long seed, String from, String to) {
  /** From {@link #firstWrongByte}: there is none. */
  public static final long NONE = -1;

  // SplitMix64's step and mixer (Steele, Lea, Flood: Fast Splittable Pseudorandom Number
  // Generators, 2014): any two words of any two messages differ in half their bits.
  private static final long STEP = 0x9E3779B97F4A7C15L;

  /**
   * Writes a message.
   *
   * @param buffer its position and limit do not matter and stay
   */
  public void fill(ByteBuffer buffer, int offsetBytes, int lengthBytes, long sequence) {
    LongBuffer words = longs(buffer, offsetBytes, lengthBytes);
    long state = start(sequence);
    for (int i = 0, count = words.limit(); i < count; i++) {
      state += STEP;
      words.put(i, mixed(state));
    }
    long last = mixed(state + STEP);
    for (int i = words.limit() * Long.BYTES; i < lengthBytes; i++) {
      buffer.put(offsetBytes + i, tailByte(last, i));
    }
  }

  /**
   * Searches for a byte that {@link #fill} would have written differently.
   *
   * @return its offset in the message, or {@link #NONE}
   */
  public long firstWrongByte(ByteBuffer buffer, int offsetBytes, int lengthBytes, long sequence) {
    LongBuffer words = longs(buffer, offsetBytes, lengthBytes);
    long state = start(sequence);
    for (int i = 0, count = words.limit(); i < count; i++) {
      state += STEP;
      long difference = words.get(i) ^ mixed(state);
      if (difference != 0) {
        return (long) i * Long.BYTES + Long.numberOfTrailingZeros(difference) / Byte.SIZE;
      }
    }
    long last = mixed(state + STEP);
    for (int i = words.limit() * Long.BYTES; i < lengthBytes; i++) {
      if (buffer.get(offsetBytes + i) != tailByte(last, i)) {
        return i;
      }
    }
    return NONE;
  }

  private static LongBuffer longs(ByteBuffer buffer, int offsetBytes, int lengthBytes) {
    // Little-endian, so that the lowest byte that differs is the first one.
    return buffer.slice(offsetBytes, lengthBytes).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer();
  }

  private static byte tailByte(long word, int offsetBytes) {
    return (byte) (word >>> offsetBytes % Long.BYTES * Byte.SIZE);
  }

  private long start(long sequence) {
    return mixed(
        seed ^ mixed(sequence + mixed((long) from.hashCode() << Integer.SIZE ^ to.hashCode())));
  }

  private static long mixed(long word) {
    long mix = (word ^ word >>> 30) * 0xBF58476D1CE4E5B9L;
    mix = (mix ^ mix >>> 27) * 0x94D049BB133111EBL;
    return mix ^ mix >>> 31;
  }
}
