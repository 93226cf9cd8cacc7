// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.softverbs.host.LoopbackPort;
import io.meshtransport.softverbs.host.ProcNetTcp;
import io.meshtransport.softverbs.rc.SoftDevice;
import io.meshtransport.softverbs.rc.WireProof;
import io.meshtransport.verbs.Endpoint;
import io.meshtransport.verbs.Endpoint.Setup;
import io.meshtransport.verbs.WirePort;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** How much the kernel may take ahead of a device's frames. */
class SendBufferTest {
  private static final String DEVICE = "lo-127.77.61.22";
  private static final InetSocketAddress PEER = new InetSocketAddress("127.77.61.21", 9);
  private static final int PEER_QUEUE_PAIR = 21;
  private static final Path KERNEL_TABLES = Path.of("/proc/self/net");

  @Test
  void shouldBoundTheKernelsSendBuffer() throws Exception {
    TcpNetwork network =
        new TcpNetwork(
            new SharedDriver(),
            LoopbackPort.of(DEVICE),
            WirePort.ANY,
            new ProcNetTcp(KERNEL_TABLES));
    SoftDevice device = new SoftDevice(DEVICE, network);
    Endpoint endpoint = new Endpoint(device, Setup.usual(), 70);
    try (ServerSocketChannel listener = ServerSocketChannel.open();
        SocketChannel bounded = SocketChannel.open();
        SocketChannel untouched = SocketChannel.open();
        SocketChannel connection = SocketChannel.open()) {
      listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      for (SocketChannel each : new SocketChannel[] {bounded, untouched, connection}) {
        each.connect(listener.getLocalAddress());
      }
      // Less than this where net.core.wmem_max says so; never what the kernel chooses by itself.
      bounded.setOption(StandardSocketOptions.SO_SNDBUF, 256 << 10);
      assertNotEquals(sendBufferBytes(bounded), sendBufferBytes(untouched));

      RawPeer.connect(endpoint, PEER, PEER_QUEUE_PAIR);
      DevicePair ends = DevicePair.of(RawPeer.ends(endpoint, PEER, PEER_QUEUE_PAIR).reversed());
      connection.configureBlocking(false);
      device.lockedResult(
          () -> {
            network.peer(ends).adopt(connection, new byte[2 * WireProof.NONCE_BYTES]);
            return ends;
          });
      assertTrue(sendBufferBytes(connection) <= sendBufferBytes(bounded));
    } finally {
      endpoint.close();
      device.close();
    }
  }

  private static int sendBufferBytes(SocketChannel channel) throws Exception {
    return channel.getOption(StandardSocketOptions.SO_SNDBUF);
  }
}
