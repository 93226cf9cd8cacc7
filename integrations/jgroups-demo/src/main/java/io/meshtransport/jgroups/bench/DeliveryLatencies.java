// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.jgroups.bench;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/**
 * How long each of many operations took, to two digits: what members send to the harness, as the
 * base64 form of a compressed histogram. Immutable.
 */
final class DeliveryLatencies {
  /** Relative error below 1 %, in some kilobytes. */
  private static final int DIGITS = 2;

  private static final double NANOS_PER_MICRO = 1e3;

  private final Histogram histogram;

  private DeliveryLatencies(Histogram histogram) {
    this.histogram = histogram;
  }

  /**
   * @param nanos one for each operation; negative ones are refused
   */
  static DeliveryLatencies of(Iterable<Long> nanos) {
    Histogram histogram = new Histogram(DIGITS);
    nanos.forEach(histogram::recordValue);
    return new DeliveryLatencies(histogram);
  }

  /** The latencies that a histogram contains. */
  static DeliveryLatencies of(Histogram histogram) {
    return new DeliveryLatencies(histogram.copy());
  }

  /** A histogram for {@link #of(Histogram)}, as precise as ours. */
  static int digits() {
    return DIGITS;
  }

  /**
   * @throws IllegalArgumentException if the text is not {@link #text()}
   */
  @JsonCreator
  static DeliveryLatencies parse(String text) {
    try {
      ByteBuffer bytes = ByteBuffer.wrap(Base64.getDecoder().decode(text));
      return new DeliveryLatencies(Histogram.decodeFromCompressedByteBuffer(bytes, 0));
    } catch (DataFormatException | BufferUnderflowException e) {
      throw new IllegalArgumentException("not a compressed histogram", e);
    }
  }

  @JsonValue
  String text() {
    ByteBuffer bytes = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
    int length = histogram.encodeIntoCompressedByteBuffer(bytes);
    return Base64.getEncoder().encodeToString(Arrays.copyOf(bytes.array(), length));
  }

  DeliveryLatencies plus(DeliveryLatencies other) {
    Histogram sum = histogram.copy();
    sum.add(other.histogram);
    return new DeliveryLatencies(sum);
  }

  /** How many there are. */
  long count() {
    return histogram.getTotalCount();
  }

  /**
   * Microseconds that this share of the operations did not exceed.
   *
   * @param percentile 0 to 100
   */
  double micros(double percentile) {
    return histogram.getValueAtPercentile(percentile) / NANOS_PER_MICRO;
  }
}
