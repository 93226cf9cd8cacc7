// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import io.meshtransport.nic.Gid;
import io.meshtransport.nic.GidEntry;
import io.meshtransport.softverbs.SoftProvider;
import io.meshtransport.testing.StoppedProcess;
import io.meshtransport.verbs.CompletionQueue;
import io.meshtransport.verbs.Endpoint.Setup;
import io.meshtransport.verbs.InitAttributes;
import io.meshtransport.verbs.MemoryRegion;
import io.meshtransport.verbs.PeerAddress;
import io.meshtransport.verbs.ProtectionDomain;
import io.meshtransport.verbs.QueuePair;
import io.meshtransport.verbs.ReadyToReceiveAttributes;
import io.meshtransport.verbs.ReadyToSendAttributes;
import io.meshtransport.verbs.ReceiveChain;
import io.meshtransport.verbs.VerbsDevice;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A peer in a JVM of its own. It prints its endpoint as one line of text, reads the other's, posts
 * receives, and then only lets its device serve: its main thread does nothing.
 */
final class SoftPeerProcess {
  static final int RECEIVES = 64;
  static final int RECEIVE_BYTES = 1 << 16;

  /** What one side has to know of the other. */
  record Card(Gid gid, int wirePort, int queuePair, long address, int key) {
    static Card of(VerbsDevice device, QueuePair queuePair, MemoryRegion region) throws Exception {
      GidEntry entry = device.gidTable(1).get(0);
      return new Card(
          entry.gid(), device.wirePort(), queuePair.number(), region.address(), region.remoteKey());
    }

    String text() {
      return gid + " " + wirePort + " " + queuePair + " " + address + " " + key;
    }

    static Card parse(String text) {
      String[] words = text.split(" ");
      return new Card(
          Gid.parse(words[0]),
          Integer.parseInt(words[1]),
          Integer.parseInt(words[2]),
          Long.parseLong(words[3]),
          Integer.parseInt(words[4]));
    }

    /** Brings a queue pair in RESET to RTS towards this peer. */
    void connect(QueuePair queuePair, ReadyToSendAttributes readyToSend) throws Exception {
      PeerAddress peer = new PeerAddress(gid, wirePort, 0, 64, 0, 0);
      queuePair.toReadyToReceive(
          new ReadyToReceiveAttributes(peer, this.queuePair, 0, 1024, 1, 12));
      queuePair.toReadyToSend(readyToSend);
    }
  }

  private final Process process;
  private final BufferedReader output;

  SoftPeerProcess(List<String> prefix, String deviceName) throws IOException {
    List<String> command = new ArrayList<>(prefix);
    command.addAll(
        List.of(
            System.getProperty("java.home") + File.separator + "bin" + File.separator + "java",
            "-Xmx64m",
            "-cp",
            System.getProperty("java.class.path"),
            SoftPeerProcess.class.getName(),
            deviceName));
    process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    output =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII));
  }

  Card card() throws IOException {
    String line = output.readLine();
    while (line != null && !line.startsWith("card ")) {
      line = output.readLine();
    }
    if (line == null) {
      throw new IOException("the peer's process ended before it printed its endpoint");
    }
    return Card.parse(line.substring("card ".length()));
  }

  void meet(Card card) throws IOException {
    process.getOutputStream().write((card.text() + "\n").getBytes(StandardCharsets.US_ASCII));
    process.getOutputStream().flush();
    output.readLine();
  }

  /** Sends it a signal by name, as kill(1) does. */
  void signal(String name) throws Exception {
    new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
  }

  /** As SIGSTOP does; returns once no thread of it runs. */
  void stop() throws Exception {
    StoppedProcess.stop(process.pid());
  }

  void end() throws Exception {
    process.destroyForcibly().waitFor(20, TimeUnit.SECONDS);
  }

  /** The peer's program; ends with its input. */
  public static void main(String[] arguments) throws Exception {
    VerbsDevice device = new SoftProvider().open(arguments[0]);
    ProtectionDomain domain = device.allocateProtectionDomain();
    CompletionQueue queue = device.createCompletionQueue(2 * RECEIVES);
    MemoryRegion region =
        domain.register(ByteBuffer.allocateDirect(RECEIVES * RECEIVE_BYTES), Setup.ALL_ACCESS);
    QueuePair queuePair = domain.createQueuePair(Setup.usual().sizes(), queue, queue);
    queuePair.toInit(new InitAttributes(1, 0, Setup.ALL_ACCESS));
    postReceives(queuePair, region);
    System.out.println("card " + Card.of(device, queuePair, region).text());
    BufferedReader input =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
    Card.parse(input.readLine()).connect(queuePair, new ReadyToSendAttributes(0, 14, 6, 6, 1));
    System.out.println("connected");
    input.readLine();
  }

  private static void postReceives(QueuePair queuePair, MemoryRegion region) {
    ReceiveChain chain = queuePair.newReceiveChain(1);
    for (int i = 0; i < Setup.usual().sizes().receiveDepth(); i++) {
      chain.clear();
      chain.begin(i);
      chain.sge(region.address(), RECEIVE_BYTES, region.localKey());
      queuePair.postReceive(chain);
    }
  }
}
