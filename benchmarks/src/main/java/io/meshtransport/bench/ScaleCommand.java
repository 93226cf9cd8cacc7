// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.bench;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.List;

/** What the harness sends to a {@link ScaleNode}; answered by the event it names. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "do")
@JsonSubTypes({
  @JsonSubTypes.Type(value = ScaleCommand.Open.class, name = "open"),
  @JsonSubTypes.Type(value = ScaleCommand.Connect.class, name = "connect"),
  @JsonSubTypes.Type(value = ScaleCommand.Measure.class, name = "measure"),
  @JsonSubTypes.Type(value = ScaleCommand.Transfer.class, name = "transfer"),
  @JsonSubTypes.Type(value = ScaleCommand.Disconnect.class, name = "disconnect"),
})
sealed interface ScaleCommand {
  /** Open the transport and listen: {@link ScaleEvent.Opened}. */
  record Open() implements ScaleCommand {}

  /**
   * Connect to peers and accept from peers, all at the same instant: {@link ScaleEvent.Connected}.
   *
   * @param handles of the peers, one for each channel
   * @param accepts how many channels come in
   * @param atOnce concurrent openings at most
   */
  record Connect(List<byte[]> handles, int accepts, int atOnce) implements ScaleCommand {}

  /**
   * Report what this process consumes while it is idle: {@link ScaleEvent.Measured}.
   *
   * @param idleMs how long to do nothing
   */
  record Measure(long idleMs) implements ScaleCommand {}

  /**
   * Send on all channels out for some time, or receive on all channels in until the last message:
   * {@link ScaleEvent.Transferred}.
   */
  record Transfer(boolean sends, int messageBytes, long timeMs) implements ScaleCommand {}

  /** Close all channels: {@link ScaleEvent.Done}. */
  record Disconnect() implements ScaleCommand {}
}
