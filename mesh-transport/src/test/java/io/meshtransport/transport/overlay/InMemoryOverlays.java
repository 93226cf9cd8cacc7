// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.overlay;

import io.meshtransport.spi.Overlay;
import io.meshtransport.spi.OverlayFlow;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * Overlays of several nodes in one process: bytes go from one flow to its other end in chunks of an
 * odd length, with a small window, by whichever thread drives, or else by one of its own.
 */
final class InMemoryOverlays {
  /** So that headers and payloads are cut anywhere. */
  private static final int CHUNK_BYTES = 40_001;

  private static final int WINDOW_BYTES = 200_000;

  private final Map<String, Node> nodes = new ConcurrentHashMap<>();
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final ReentrantLock driver = new ReentrantLock();
  private final Thread thread = new Thread(this::run, "overlays");
  private volatile boolean isClosed;

  InMemoryOverlays() {
    thread.setDaemon(true);
    thread.start();
  }

  /** The overlay of a node. */
  Overlay at(String nodeId) {
    return nodes.computeIfAbsent(nodeId, Node::new);
  }

  /** No path leads anywhere from a node: its flows end. */
  void lose(String nodeId) {
    later(() -> List.copyOf(nodes.get(nodeId).flows).forEach(FlowEnd::lose));
  }

  /** The node's process is another one: it knows no flow. */
  void forget(String nodeId) {
    later(
        () ->
            List.copyOf(nodes.get(nodeId).flows)
                .forEach(end -> end.peer.end(OverlayFlow.End.RESET)));
  }

  private void later(Runnable task) {
    tasks.add(task);
    LockSupport.unpark(thread);
  }

  private void run() {
    while (!isClosed) {
      if (!driveOnce()) {
        LockSupport.parkNanos(this, 1_000_000);
      }
    }
  }

  private boolean driveOnce() {
    if (!driver.tryLock()) {
      return false;
    }
    try {
      Runnable task = tasks.poll();
      boolean isAny = task != null;
      for (int left = 100; task != null && left > 0; left--) {
        task.run();
        task = tasks.poll();
      }
      if (task != null) {
        task.run();
      }
      return isAny;
    } finally {
      driver.unlock();
    }
  }

  void close() throws InterruptedException {
    isClosed = true;
    LockSupport.unpark(thread);
    thread.join();
  }

  private final class Node implements Overlay {
    final String id;
    final List<FlowEnd> flows = new ArrayList<>();
    volatile Acceptor acceptor;

    Node(String id) {
      this.id = id;
    }

    @Override
    public void listen(Acceptor newAcceptor) {
      acceptor = newAcceptor;
    }

    @Override
    public OverlayFlow open(String nodeId, int port, OverlayFlow.Listener listener) {
      Node to = nodes.get(nodeId);
      FlowEnd here = new FlowEnd(this, listener);
      FlowEnd there = new FlowEnd(to, null);
      here.peer = there;
      there.peer = here;
      later(
          () -> {
            flows.add(here);
            there.listener = to.acceptor == null ? null : to.acceptor.accept(there, id, port);
            if (there.listener == null) {
              here.end(OverlayFlow.End.RESET);
            } else {
              to.flows.add(there);
              here.pump();
            }
          });
      return here;
    }

    @Override
    public boolean reaches(String nodeId) {
      return nodes.containsKey(nodeId);
    }

    @Override
    public String path(String nodeId) {
      return "over b";
    }

    @Override
    public boolean drive() {
      return driveOnce();
    }

    @Override
    public void await(BooleanSupplier isOver, long timeoutNs) {
      if (!driveOnce() && !isOver.getAsBoolean()) {
        LockSupport.parkNanos(this, Math.min(timeoutNs, 1_000_000));
      }
    }
  }

  /** One end of a flow. */
  private final class FlowEnd implements OverlayFlow {
    final Node node;
    volatile Listener listener;
    FlowEnd peer;

    // Guarded by this.
    private final Queue<ByteBuffer> written = new ArrayDeque<>();
    private int writtenBytes;
    private boolean isClosing;
    private boolean isOver;
    private boolean isFull;
    private int wanted;

    FlowEnd(Node node, Listener listener) {
      this.node = node;
      this.listener = listener;
    }

    @Override
    public synchronized int write(ByteBuffer source) {
      int count =
          isOver || isClosing ? 0 : Math.min(source.remaining(), WINDOW_BYTES - writtenBytes);
      ByteBuffer copy = ByteBuffer.allocateDirect(count);
      copy.put(0, source, source.position(), count);
      source.position(source.position() + count);
      written.add(copy);
      writtenBytes += count;
      isFull |= source.hasRemaining();
      return count;
    }

    @Override
    public synchronized int writableBytes(int wantedBytes) {
      int space = isOver || isClosing ? 0 : WINDOW_BYTES - writtenBytes;
      isFull = space < wantedBytes;
      wanted = wantedBytes;
      return space;
    }

    @Override
    public void flush() {
      later(this::pump);
    }

    /** Moves one chunk. */
    void pump() {
      if (peer.listener == null) {
        return;
      }
      ByteBuffer chunk;
      boolean isWritable;
      boolean isEnd;
      synchronized (this) {
        chunk = ByteBuffer.allocateDirect(Math.min(CHUNK_BYTES, writtenBytes));
        while (chunk.hasRemaining()) {
          ByteBuffer first = written.peek();
          int count = Math.min(first.remaining(), chunk.remaining());
          chunk.put(first.slice().limit(count));
          first.position(first.position() + count);
          if (!first.hasRemaining()) {
            written.remove();
          }
        }
        writtenBytes -= chunk.position();
        isWritable = isFull && WINDOW_BYTES - writtenBytes >= wanted;
        isFull &= !isWritable;
        isEnd = isClosing && writtenBytes == 0 && !isOver;
      }
      if (chunk.flip().hasRemaining()) {
        peer.arrive(chunk.asReadOnlyBuffer());
        later(this::pump);
      }
      if (isWritable && listener != null) {
        listener.onWritable();
      }
      if (isEnd) {
        end(End.CLOSED);
        peer.end(End.CLOSED);
      }
    }

    private void arrive(ByteBuffer bytes) {
      boolean isDropped;
      synchronized (this) {
        isDropped = isOver || isClosing;
      }
      if (!isDropped) {
        listener.onBytes(bytes);
        if (bytes.hasRemaining()) {
          throw new IllegalStateException("the listener has not taken all");
        }
      }
    }

    void lose() {
      end(End.UNREACHABLE);
    }

    void end(End how) {
      synchronized (this) {
        if (isOver) {
          return;
        }
        isOver = true;
      }
      if (listener != null) {
        listener.onClosed(how, "for a test");
      }
    }

    @Override
    public void resume() {}

    @Override
    public long probe() {
      return 0;
    }

    @Override
    public void close() {
      synchronized (this) {
        isClosing = true;
      }
      later(this::pump);
    }

    @Override
    public void abort() {
      synchronized (this) {
        isOver = true;
      }
      later(() -> peer.end(End.RESET));
    }
  }
}
