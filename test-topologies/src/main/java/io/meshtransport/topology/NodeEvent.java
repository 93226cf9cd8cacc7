// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.List;

/** What a node tells the harness: one line of JSON each on its standard output. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "event")
@JsonSubTypes({
  @JsonSubTypes.Type(value = NodeEvent.Opened.class, name = "opened"),
  @JsonSubTypes.Type(value = NodeEvent.FoundNics.class, name = "found-nics"),
  @JsonSubTypes.Type(value = NodeEvent.Connected.class, name = "connected"),
  @JsonSubTypes.Type(value = NodeEvent.Progress.class, name = "progress"),
  @JsonSubTypes.Type(value = NodeEvent.Exchanged.class, name = "exchanged"),
  @JsonSubTypes.Type(value = NodeEvent.Latency.class, name = "latency"),
  @JsonSubTypes.Type(value = NodeEvent.Throughput.class, name = "throughput"),
  @JsonSubTypes.Type(value = NodeEvent.Posted.class, name = "posted"),
  @JsonSubTypes.Type(value = NodeEvent.Outcomes.class, name = "outcomes"),
  @JsonSubTypes.Type(value = NodeEvent.Done.class, name = "done"),
  @JsonSubTypes.Type(value = NodeEvent.Failed.class, name = "failed"),
})
public sealed interface NodeEvent {
  /**
   * @param handle for the peers
   * @param provider what drives the best NIC
   * @param nics names of all NICs
   * @param carrying of these, the ones that have a carrier
   */
  record Opened(byte[] handle, String provider, List<String> nics, List<String> carrying)
      implements NodeEvent {}

  /**
   * What the host offers.
   *
   * @param refusals why something is left out
   */
  record FoundNics(List<FoundNic> nics, List<String> refusals) implements NodeEvent {}

  /**
   * One NIC.
   *
   * @param gidIndex of the row that sends from the first address
   * @param mtuBytes payload of a packet
   */
  record FoundNic(
      String provider,
      String device,
      String netdev,
      List<String> addresses,
      int gidIndex,
      String gidType,
      int mtuBytes,
      String state) {}

  /** All links stand. */
  record Connected(List<Link> links) implements NodeEvent {}

  /** The sending side of one link, as its Route tells it. */
  record Link(
      String peer,
      String localNic,
      String localAddress,
      String peerAddress,
      String subnet,
      String why,
      long handshakeNs) {}

  /** A batch from a peer has arrived and is right. */
  record Progress(String from, int messages, long bytes) implements NodeEvent {}

  /** Everything has arrived from every peer, and every byte is right. */
  record Exchanged(long messages, long bytes) implements NodeEvent {}

  /** Half round trips in microseconds. */
  record Latency(double p50Micros, double p99Micros) implements NodeEvent {}

  /** Millions of bytes per second. */
  record Throughput(double megabytesPerSecond) implements NodeEvent {}

  /** All requests are outstanding. */
  record Posted(int requests) implements NodeEvent {}

  /** How each of them ended. */
  record Outcomes(List<Outcome> outcomes) implements NodeEvent {}

  /**
   * How a request ended.
   *
   * @param result {@link #DONE}, {@link #PENDING} if it did not end, or the name of the reason
   * @param text of the failure; empty if there is none
   * @param millis from the request to its end
   */
  record Outcome(String result, String text, long millis) {
    /** It succeeded. */
    public static final String DONE = "DONE";

    /** It did not end in time. */
    public static final String PENDING = "PENDING";
  }

  /** Done, and there is nothing to tell. */
  record Done() implements NodeEvent {}

  /**
   * The command was not done.
   *
   * @param reason name of the TransportException's reason, or of the exception's class
   * @param text what happened
   */
  record Failed(String reason, String text) implements NodeEvent, ProgramProcess.Refusal {}
}
