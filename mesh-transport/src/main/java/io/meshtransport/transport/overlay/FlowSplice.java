// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.overlay;

import io.meshtransport.spi.OverlayFlow;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * A TCP connection within this host and a flow to a far node, joined: what comes from one goes to
 * the other, and the end of one ends the other. Confined to the thread of its {@link
 * OverlayBridge}, except what {@link OverlayFlow.Listener} has.
 */
final class FlowSplice implements OverlayFlow.Listener {
  private static final Logger LOG = LogManager.getLogger(FlowSplice.class);
  private static final int BUFFER_BYTES = 64 << 10;

  private final OverlayBridge bridge;
  private final SocketChannel socket;
  private final ByteBuffer read = ByteBuffer.allocateDirect(BUFFER_BYTES);
  private OverlayFlow flow;
  private SelectionKey key;
  private boolean isOver;

  /** Set before bytes of the flow may go to the socket. */
  private volatile boolean isConnected;

  FlowSplice(OverlayBridge bridge, SocketChannel socket) {
    this.bridge = bridge;
    this.socket = socket;
  }

  void begin(OverlayFlow newFlow) {
    flow = newFlow;
  }

  void register(Selector selector, int operations) {
    try {
      socket.configureBlocking(false);
      socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
      key = socket.register(selector, operations, this);
      if (operations != SelectionKey.OP_CONNECT) {
        connected();
      }
    } catch (IOException e) {
      failed(e);
    }
  }

  private void connected() {
    isConnected = true;
    flow.resume();
  }

  /** The socket can go on. */
  void ready(SelectionKey ready) {
    try {
      if (ready.isConnectable()) {
        socket.finishConnect();
        ready.interestOps(SelectionKey.OP_READ);
        connected();
      }
      if (ready.isWritable()) {
        ready.interestOpsAnd(~SelectionKey.OP_WRITE);
        flow.resume();
      }
      if (ready.isReadable()) {
        readOn();
      }
    } catch (IOException e) {
      failed(e);
    }
  }

  private void readOn() throws IOException {
    while (!isOver) {
      int count = socket.read(read);
      if (count <= 0) {
        flow.flush();
        if (count < 0) {
          flow.close();
          over();
        }
        return;
      }
      read.flip();
      if (!passOn()) {
        key.interestOpsAnd(~SelectionKey.OP_READ);
        return;
      }
    }
  }

  /** Whether all that was read is in the flow. */
  private boolean passOn() {
    flow.write(read);
    boolean isAll = !read.hasRemaining();
    if (isAll) {
      read.clear();
    }
    return isAll;
  }

  @Override
  public void onWritable() {
    bridge.later(
        () -> {
          if (!isOver && (key.interestOps() & SelectionKey.OP_READ) == 0 && passOn()) {
            key.interestOpsOr(SelectionKey.OP_READ);
          }
        });
  }

  @Override
  public void onBytes(ByteBuffer bytes) {
    if (!isConnected) {
      return;
    }
    try {
      socket.write(bytes);
    } catch (IOException e) {
      bridge.later(() -> failed(e));
      return;
    }
    if (bytes.hasRemaining()) {
      bridge.later(
          () -> {
            if (!isOver) {
              key.interestOpsOr(SelectionKey.OP_WRITE);
            }
          });
    }
  }

  @Override
  public void onClosed(OverlayFlow.End end, String evidence) {
    bridge.later(
        () -> {
          if (!isOver) {
            LOG.debug("a connection over the overlay ends: {}, {}", end, evidence);
            reset(end != OverlayFlow.End.CLOSED);
            over();
          }
        });
  }

  /** So that this end of the socket sees a failure, and not an orderly end. */
  private void reset(boolean isReset) {
    if (isReset) {
      try {
        socket.setOption(StandardSocketOptions.SO_LINGER, 0);
      } catch (IOException e) {
        LOG.debug("a socket does not take SO_LINGER", e);
      }
    }
  }

  private void failed(IOException why) {
    if (!isOver) {
      LOG.debug("a connection over the overlay ends here", why);
      abort();
    }
  }

  void probe() {
    flow.probe();
  }

  /** Ends both. */
  void abort() {
    if (!isOver) {
      flow.abort();
      reset(true);
      over();
    }
  }

  private void over() {
    isOver = true;
    bridge.ended(this);
    OverlayBridge.closeQuietly(socket);
  }
}
