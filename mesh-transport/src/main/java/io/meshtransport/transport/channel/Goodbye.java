// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.channel;

import io.meshtransport.time.Durations;
import io.meshtransport.transport.endpoint.ControlMessage;
import java.nio.ByteBuffer;

/**
 * What an end of a channel says last: why it goes. An immutable value, of GOODBYE messages as
 * {@link ControlMessage} draws them.
 *
 * @param why what ended it
 * @param tag of the receive or send that timed out, else 0
 * @param timeoutNs how long that had been given, else 0
 */
public record Goodbye(Why why, int tag, long timeoutNs) {
  /** As the code in the message. */
  public enum Why {
    CLOSED(0),
    RECEIVE_TIMED_OUT(1),
    SEND_TIMED_OUT(2),
    TRANSFER_TIMED_OUT(3),
    /** Of a later version. */
    UNKNOWN(255);

    private final int code;

    Why(int code) {
      this.code = code;
    }

    static Why of(int code) {
      for (Why each : values()) {
        if (each.code == code) {
          return each;
        }
      }
      return UNKNOWN;
    }
  }

  public static final Goodbye CLOSED = new Goodbye(Why.CLOSED, 0, 0);

  /**
   * Writes the message.
   *
   * @return its length in bytes
   */
  public int write(ByteBuffer buffer, int at) {
    ControlMessage.putHeader(buffer, at, ControlMessage.GOODBYE, why.code, 0);
    if (why == Why.CLOSED) {
      return ControlMessage.HEADER_BYTES;
    }
    ControlMessage.putTag(buffer, at, tag);
    ControlMessage.putNumber(buffer, at, timeoutNs);
    return ControlMessage.NUMBER_BYTES;
  }

  /** Reads a GOODBYE; one that is too short for more says that its end was closed. */
  public static Goodbye read(ByteBuffer buffer, int at, int lengthBytes) {
    if (lengthBytes < ControlMessage.NUMBER_BYTES) {
      return CLOSED;
    }
    return new Goodbye(
        Why.of(ControlMessage.slot(buffer, at)),
        ControlMessage.tag(buffer, at),
        ControlMessage.number(buffer, at));
  }

  /** What happened at the end that says it, as the end of "the peer closed this channel: ". */
  public String text() {
    String after = " timed out after " + Durations.text(timeoutNs);
    return switch (why) {
      case CLOSED -> "it has no more use for it";
      case RECEIVE_TIMED_OUT -> "its receive with tag " + tag + after;
      case SEND_TIMED_OUT -> "its send with tag " + tag + after;
      case TRANSFER_TIMED_OUT -> "a put or get of its" + after;
      case UNKNOWN -> "for a reason that this version does not know";
    };
  }
}
