// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.List;
import java.util.Map;

/**
 * What the harness tells a node: one line of JSON each on its standard input, done one after the
 * other. Each is answered by the event it names, or by {@link NodeEvent.Failed}.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "do")
@JsonSubTypes({
  @JsonSubTypes.Type(value = NodeCommand.Open.class, name = "open"),
  @JsonSubTypes.Type(value = NodeCommand.Describe.class, name = "describe"),
  @JsonSubTypes.Type(value = NodeCommand.Connect.class, name = "connect"),
  @JsonSubTypes.Type(value = NodeCommand.Exchange.class, name = "exchange"),
  @JsonSubTypes.Type(value = NodeCommand.Ping.class, name = "ping"),
  @JsonSubTypes.Type(value = NodeCommand.Pong.class, name = "pong"),
  @JsonSubTypes.Type(value = NodeCommand.StreamOut.class, name = "stream-out"),
  @JsonSubTypes.Type(value = NodeCommand.StreamIn.class, name = "stream-in"),
  @JsonSubTypes.Type(value = NodeCommand.PostSends.class, name = "post-sends"),
  @JsonSubTypes.Type(value = NodeCommand.ScanNics.class, name = "scan-nics"),
  @JsonSubTypes.Type(value = NodeCommand.PostReceives.class, name = "post-receives"),
  @JsonSubTypes.Type(
      value = NodeCommand.AdvanceQueuePairNumbers.class,
      name = "advance-queue-pair-numbers"),
  @JsonSubTypes.Type(value = NodeCommand.Disconnect.class, name = "disconnect"),
  @JsonSubTypes.Type(value = NodeCommand.ScanPort.class, name = "scan-port"),
})
public sealed interface NodeCommand {
  /** Open the transport and listen: {@link NodeEvent.Opened}. */
  record Open() implements NodeCommand {}

  /** Tell once more, as it is now, what {@link Open} told: {@link NodeEvent.Opened}. */
  record Describe() implements NodeCommand {}

  /**
   * Connect to every peer and accept from every peer, all at the same instant: {@link
   * NodeEvent.Connected}. Links there were before are closed.
   *
   * @param handles by the peers' names
   * @param named the address by which this node names a peer, likewise; a peer may have none
   * @param bufferBytes capacity for messages per peer and direction
   */
  record Connect(
      Map<String, byte[]> handles, Map<String, String> named, int bufferBytes, long timeoutMs)
      implements NodeCommand {
    /** Connects to peers that no address was named of. */
    public Connect(Map<String, byte[]> handles, int bufferBytes, long timeoutMs) {
      this(handles, Map.of(), bufferBytes, timeoutMs);
    }
  }

  /**
   * Send these to every peer and receive the same from it, both ways at once, and check every byte:
   * {@link NodeEvent.Progress} after each batch, then {@link NodeEvent.Exchanged}.
   *
   * @param seed the same for all nodes
   */
  record Exchange(List<Batch> batches, long seed, long timeoutMs) implements NodeCommand {}

  /** Messages of one length. */
  record Batch(int count, int lengthBytes) {}

  /** Measure round trips to a peer that got {@link Pong}: {@link NodeEvent.Latency}. */
  record Ping(String peer, int warmUps, int count, int lengthBytes, long seed, long timeoutMs)
      implements NodeCommand {}

  /** Send back whatever a peer's {@link Ping} sends: {@link NodeEvent.Done}. */
  record Pong(String peer, int count, int lengthBytes, long timeoutMs) implements NodeCommand {}

  /**
   * Send as fast as possible to a peer that got {@link StreamIn}: {@link NodeEvent.Throughput}.
   *
   * @param depth messages in flight; depth x lengthBytes must fit the buffers
   */
  record StreamOut(String peer, int count, int lengthBytes, int depth, long seed, long timeoutMs)
      implements NodeCommand {}

  /** Receive that, and check the last message of each place: {@link NodeEvent.Done}. */
  record StreamIn(String peer, int count, int lengthBytes, int depth, long seed, long timeoutMs)
      implements NodeCommand {}

  /**
   * Begin sends that no peer receives: {@link NodeEvent.Posted}, and when each has ended or the
   * time has passed, {@link NodeEvent.Outcomes}.
   */
  record PostSends(String peer, int count, int lengthBytes, long timeoutMs)
      implements NodeCommand {}

  /**
   * Scan for NICs: {@link NodeEvent.FoundNics}. Needs no transport, and does not change it.
   *
   * @param settings beside those of the environment
   */
  record ScanNics(Map<String, String> settings) implements NodeCommand {}

  /** As {@link PostSends}, with receives, which a peer may fill or not. */
  record PostReceives(String peer, int count, int lengthBytes, long timeoutMs)
      implements NodeCommand {}

  /**
   * Create queue pairs on a device of libibverbs, and destroy each at once, until one has this
   * number: {@link NodeEvent.Done}. Needs no transport.
   */
  record AdvanceQueuePairNumbers(String device, int upTo) implements NodeCommand {}

  /** Close all links, and keep listening: {@link NodeEvent.Done}. */
  record Disconnect() implements NodeCommand {}

  /**
   * Be a nuisance: open connections to a port one after the other, write random bytes, and hang up
   * or linger: {@link NodeEvent.Done}. Needs no transport.
   *
   * @param connections how many in all; the last 64 stay open until the process ends
   */
  record ScanPort(String address, int port, int connections, long seed) implements NodeCommand {}
}
