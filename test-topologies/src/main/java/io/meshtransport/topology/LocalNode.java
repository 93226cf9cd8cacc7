// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import io.meshtransport.spi.Channel;
import io.meshtransport.spi.ChannelFuture;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.NicDescription;
import io.meshtransport.spi.ReceiveChannel;
import io.meshtransport.spi.RegisteredMemory;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** This node's transport and listener. Confined to the node's worker thread; ends with the JVM. */
final class LocalNode {
  /** Node names are far shorter. */
  private static final int MAX_NAME_BYTES = 64;

  private final String name;
  private final Transport transport;
  private final Listener listener;
  private final Map<String, PeerMemory> memoryByPeer = new HashMap<>();

  private LocalNode(String name, Transport transport, Listener listener) {
    this.name = name;
    this.transport = transport;
    this.listener = listener;
  }

  static LocalNode open(String name) throws TransportException {
    Transport transport = Transport.open();
    return new LocalNode(name, transport, transport.listen());
  }

  NodeEvent.Opened describe() {
    List<NicDescription> nics = transport.nics();
    return new NodeEvent.Opened(
        listener.handle(),
        nics.stream().map(NicDescription::provider).findFirst().orElse(""),
        nics.stream().map(NicDescription::name).toList(),
        nics.stream().filter(NicDescription::hasCarrier).map(NicDescription::name).toList());
  }

  /** Links to all these peers, by name; none if one of them fails. */
  Map<String, PeerLink> connect(NodeCommand.Connect command)
      throws TransportException, InterruptedException {
    Duration timeout = Duration.ofMillis(command.timeoutMs());
    try (PendingChannels openings = new PendingChannels()) {
      for (Map.Entry<String, byte[]> peer : command.handles().entrySet()) {
        openings.connecting(
            peer.getKey(), connect(peer.getValue(), command.named().get(peer.getKey())));
        openings.accepting(listener.accept());
      }
      Map<String, SendChannel> out = openings.awaitConnected(timeout);
      Map<String, ReceiveChannel> in =
          exchangeNames(out.values(), openings.awaitAccepted(timeout), timeout);
      Map<String, PeerLink> links = new TreeMap<>();
      for (Map.Entry<String, SendChannel> peer : out.entrySet()) {
        links.put(peer.getKey(), link(peer.getKey(), peer.getValue(), in, command.bufferBytes()));
      }
      openings.release();
      return links;
    }
  }

  private ChannelFuture<SendChannel> connect(byte[] handle, String named)
      throws TransportException {
    if (named == null) {
      return transport.connect(handle);
    }
    try {
      return transport.connect(handle, InetAddress.getByName(named));
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("'" + named + "' is not an address", e);
    }
  }

  private PeerLink link(
      String peer, SendChannel out, Map<String, ReceiveChannel> in, int bufferBytes)
      throws TransportException {
    if (!in.containsKey(peer)) {
      throw new IllegalStateException("expected a channel from " + peer + ", got " + in.keySet());
    }
    return new PeerLink(peer, out, in.get(peer), memory(peer, bufferBytes));
  }

  /**
   * Sends this node's name on each outbound channel; from the peers' names it learns where each
   * inbound channel comes from.
   */
  private Map<String, ReceiveChannel> exchangeNames(
      Iterable<SendChannel> out, List<ReceiveChannel> in, Duration timeout)
      throws TransportException, InterruptedException {
    byte[] greeting = name.getBytes(StandardCharsets.UTF_8);
    Map<String, ReceiveChannel> byPeer = new HashMap<>();
    try (Threads threads = new Threads();
        RegisteredMemory mine = transport.register(ByteBuffer.allocateDirect(MAX_NAME_BYTES))) {
      mine.segments().get(0).put(0, greeting);
      for (SendChannel channel : out) {
        threads.start(() -> channel.send(mine, 0, greeting.length, PeerLink.TAG, timeout));
      }
      for (ReceiveChannel channel : in) {
        byPeer.put(peerName(channel, timeout), channel);
      }
      threads.join();
    }
    return byPeer;
  }

  private String peerName(ReceiveChannel channel, Duration timeout) throws TransportException {
    ByteBuffer bytes = ByteBuffer.allocateDirect(MAX_NAME_BYTES);
    try (RegisteredMemory memory = transport.register(bytes)) {
      int length = (int) channel.receive(memory, 0, MAX_NAME_BYTES, PeerLink.TAG, timeout);
      return StandardCharsets.UTF_8.decode(bytes.slice(0, length)).toString();
    }
  }

  private PeerMemory memory(String peer, int lengthBytes) throws TransportException {
    PeerMemory memory = memoryByPeer.get(peer);
    if (memory == null || memory.incoming().lengthBytes() < lengthBytes) {
      memory = PeerMemory.allocate(transport, lengthBytes);
      memoryByPeer.put(peer, memory);
    }
    return memory;
  }

  /** A request that must begin, as an exception where the channel has failed. */
  static long begun(Channel channel, long request) throws TransportException {
    if (request == Channel.FAILED) {
      throw channel.failure();
    }
    return request;
  }

  /** Waits for the outcome of a request, which is an exception where it failed. */
  static long succeeded(Channel channel, long request, Duration timeout) throws TransportException {
    long outcome = channel.await(request, timeout);
    if (outcome == Channel.FAILED) {
      throw channel.failure(request);
    }
    if (outcome == Channel.PENDING) {
      throw new TransportException(
          TransportException.Reason.TIMED_OUT, channel.route() + ": a request did not end");
    }
    return outcome;
  }
}
