// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology;

import com.sun.management.ThreadMXBean;
import io.meshtransport.relay.Relay;
import io.meshtransport.relay.RelayCounter;
import io.meshtransport.spi.ConnectOptions;
import io.meshtransport.spi.Connection;
import io.meshtransport.spi.Listener;
import io.meshtransport.spi.Mesh;
import io.meshtransport.spi.OverlayFlow;
import io.meshtransport.spi.RelayPolicy;
import io.meshtransport.spi.RelayServices;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.awaitility.Awaitility;

/**
 * Joins the mesh and runs a relay; echoes what flows bring. Each line of its input is a command:
 * {@code echo NODE MIB} sends bytes to a node and checks what comes back, {@code await NODE} waits
 * until a path leads there, {@code count} prints what was relayed, {@code chunks} in how many
 * chunks, {@code garbage} what was allocated, {@code load NODE BYTES} waits until a node says that
 * it passes on so many bytes a second, and {@code talk NODE BYTES TIMES POLICY} connects to a node
 * by its name and has a message come back as often; 0 times means until the next line of its input,
 * {@code stop}.
 */
final class RelayProgram {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final int PORT = 77;
  private static final String SERVICE = "talk";
  private static final int TAG = 1;
  private static final int MAX_MESSAGE_BYTES = 32 << 20;
  private static final int STEP = 50_000;

  /** After so many messages it says how many there were, and after so many bytes of an echo. */
  private static final int MESSAGES_PER_LINE = 10;

  private static final long FIRST_BYTES = 64 << 20;

  private RelayProgram() {}

  public static void main(String[] arguments) throws Exception {
    try (Transport transport = Transport.open();
        Mesh mesh = Mesh.join(transport);
        Relay relay = Relay.start(mesh);
        Listener listener = transport.listen()) {
      mesh.publish(SERVICE, listener.handle());
      Thread answering = new Thread(() -> answer(listener), "answers");
      answering.setDaemon(true);
      answering.start();
      relay.listen((flow, from, port) -> port == PORT ? new Echo(flow) : null);
      if (!mesh.awaitNodes(Integer.parseInt(arguments[0]), LIMIT)) {
        throw new IllegalStateException("only " + mesh.nodes());
      }
      System.out.println("joined");
      BufferedReader commands =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      for (String line = commands.readLine(); line != null; line = commands.readLine()) {
        String[] words = line.split(" ");
        if (words[0].equals("talk")) {
          talk(
              mesh,
              words[1],
              Integer.parseInt(words[2]),
              Integer.parseInt(words[3]),
              RelayPolicy.valueOf(words[4]),
              commands);
        } else if (words[0].equals("load")) {
          long least = Long.parseLong(words[2]);
          Awaitility.await().atMost(LIMIT).until(() -> load(mesh, words[1]) >= least);
          System.out.println("loaded");
        } else if (words[0].equals("garbage")) {
          System.out.println("allocated " + allocatedBytes());
        } else if (words[0].equals("chunks")) {
          System.out.println("chunks " + relay.count(RelayCounter.RELAYED_CHUNKS));
        } else if (words[0].equals("stop")) {
          System.out.println("stopped already");
        } else if (words[0].equals("count")) {
          System.out.println("relayed " + relay.count(RelayCounter.RELAYED_BYTES));
        } else {
          String id = id(mesh, words[1]);
          Awaitility.await().atMost(LIMIT).until(() -> relay.reaches(id));
          System.out.println("reaches " + words[1] + " " + relay.path(id));
          if (words[0].equals("echo")) {
            echo(relay, id, Long.parseLong(words[2]) << 20);
          }
        }
      }
    }
    System.out.println("ended");
  }

  private static long load(Mesh mesh, String node) {
    return RelayServices.load(mesh.lookup(node, RelayServices.LOAD).orElse(new byte[0]));
  }

  /** Of the threads that relay, since they began: not of those that look at the host. */
  private static long allocatedBytes() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    return LongStream.of(threads.getAllThreadIds())
        .mapToObj(threads::getThreadInfo)
        .filter(Objects::nonNull)
        .filter(each -> each.getThreadName().matches("mesh-(relay|soft)-.*"))
        .mapToLong(each -> threads.getThreadAllocatedBytes(each.getThreadId()))
        .sum();
  }

  /** Sends the messages of each connection back to where they come from. */
  private static void answer(Listener listener) {
    while (true) {
      try {
        Connection connection = listener.acceptConnection(Duration.ofHours(1));
        Thread one = new Thread(() -> answer(connection), "answers-one");
        one.setDaemon(true);
        one.start();
      } catch (TransportException e) {
        return;
      }
    }
  }

  private static void answer(Connection connection) {
    ByteBuffer message = ByteBuffer.allocateDirect(MAX_MESSAGE_BYTES);
    while (true) {
      long request = connection.irecv(message.clear(), TAG);
      long bytes = Connection.PENDING;
      while (bytes == Connection.PENDING) {
        bytes = connection.await(request, LIMIT);
      }
      if (bytes < 0) {
        connection.close();
        return;
      }
      try {
        connection.send(message.limit((int) bytes), TAG, LIMIT);
      } catch (TransportException e) {
        System.out.println("cannot answer: " + e.getMessage());
        connection.close();
        return;
      }
    }
  }

  /** Connects to a node by its name, and has messages come back, one after the other. */
  private static void talk(
      Mesh mesh, String node, int bytes, int times, RelayPolicy policy, BufferedReader commands)
      throws IOException {
    ConnectOptions options = ConnectOptions.DEFAULT.relay(policy);
    try (Connection connection = mesh.connect(node, SERVICE, options, LIMIT)) {
      System.out.println("talks to " + node);
      talk(connection, bytes, times, commands);
    } catch (TransportException e) {
      System.out.println("cannot talk: " + e.reason() + " " + e.getMessage());
    }
  }

  private static void talk(Connection connection, int bytes, int times, BufferedReader commands)
      throws IOException {
    try {
      ByteBuffer message = ByteBuffer.allocateDirect(bytes);
      ByteBuffer answer = ByteBuffer.allocateDirect(bytes);
      long came = 0;
      boolean isEqual = true;
      long beganNs = System.nanoTime();
      int time = 0;
      while (times == 0 ? !commands.ready() : time < times) {
        for (int i = 0; i < bytes; i++) {
          message.put(i, Check.at(time + i));
        }
        long request = connection.irecv(answer.clear(), TAG);
        connection.send(message.clear(), TAG, LIMIT);
        came += connection.await(request, LIMIT);
        isEqual &= message.clear().equals(answer.clear());
        time++;
        if (time % MESSAGES_PER_LINE == 0) {
          System.out.println("message " + time);
        }
      }
      if (times == 0) {
        commands.readLine();
      }
      System.out.println(
          "talked %d of %d bytes, %s, in %d ms: %s"
              .formatted(
                  came,
                  (long) bytes * time,
                  isEqual ? "equal" : "different",
                  TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNs),
                  connection.route().why()));
    } catch (TransportException e) {
      System.out.println("talked no more: " + e.reason() + " " + e.getMessage());
    }
  }

  private static String id(Mesh mesh, String name) {
    return Awaitility.await()
        .atMost(LIMIT)
        .until(
            () ->
                mesh.nodes().stream()
                    .filter(each -> each.peer().name().equals(name) && !each.state().isGone())
                    .findFirst(),
            found -> found.isPresent())
        .get()
        .peer()
        .id();
  }

  private static void echo(Relay relay, String id, long bytes) throws Exception {
    long beganNs = System.nanoTime();
    Check check = new Check(bytes);
    check.begin(relay.open(id, PORT, check));
    check.done.get(3 * LIMIT.toSeconds(), TimeUnit.SECONDS);
    System.out.println(
        "echoed %d bytes, longest gap %d ms, in %d ms"
            .formatted(
                bytes,
                TimeUnit.NANOSECONDS.toMillis(check.longestGapNs),
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNs)));
  }

  /** Sends back what comes. */
  private static final class Echo implements OverlayFlow.Listener {
    private final OverlayFlow flow;

    Echo(OverlayFlow flow) {
      this.flow = flow;
    }

    @Override
    public void onBytes(ByteBuffer bytes) {
      flow.write(bytes);
      flow.flush();
    }

    @Override
    public void onWritable() {
      flow.resume();
    }

    @Override
    public void onClosed(OverlayFlow.End end, String evidence) {
      System.out.println("flow ended " + end + " " + evidence);
    }
  }

  /** Sends numbered bytes, and checks that they come back. Its methods may meet. */
  private static final class Check implements OverlayFlow.Listener {
    final CompletableFuture<Void> done = new CompletableFuture<>();
    private final long bytes;
    private OverlayFlow flow;
    private long sent;
    private long received;
    private long heardNs = System.nanoTime();
    long longestGapNs;

    Check(long bytes) {
      this.bytes = bytes;
    }

    private static byte at(long position) {
      return (byte) (position * 0x9E3779B97F4A7C15L >>> 33);
    }

    synchronized void begin(OverlayFlow newFlow) {
      flow = newFlow;
      onWritable();
    }

    @Override
    public synchronized void onWritable() {
      while (sent < bytes) {
        ByteBuffer step = ByteBuffer.allocate((int) Math.min(STEP, bytes - sent));
        for (int i = 0; i < step.capacity(); i++) {
          step.put(i, at(sent + i));
        }
        int taken = flow.write(step);
        sent += taken;
        if (step.hasRemaining()) {
          return;
        }
      }
      flow.flush();
    }

    @Override
    public synchronized void onBytes(ByteBuffer came) {
      long nowNs = System.nanoTime();
      longestGapNs = Math.max(longestGapNs, nowNs - heardNs);
      heardNs = nowNs;
      while (came.hasRemaining()) {
        if (came.get() != at(received)) {
          done.completeExceptionally(new AssertionError("byte " + received + " is wrong"));
          return;
        }
        received++;
        if (received == FIRST_BYTES) {
          System.out.println("echoing");
        }
      }
      if (received == bytes) {
        flow.close();
      }
    }

    @Override
    public synchronized void onClosed(OverlayFlow.End end, String evidence) {
      if (end == OverlayFlow.End.CLOSED && received == bytes) {
        done.complete(null);
      } else {
        done.completeExceptionally(
            new IllegalStateException(end + " " + evidence + " after " + received));
      }
    }
  }
}
