// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.softverbs.tcp;

import io.meshtransport.softverbs.frame.FrameHeader;
import io.meshtransport.softverbs.frame.FrameType;
import io.meshtransport.softverbs.frame.PayloadViews;
import io.meshtransport.softverbs.rc.StreamListener;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Hands the frames that arrive on a {@link MuxConnection} to their streams: OPEN and CLOSE by the
 * queue pairs they name, every other frame by the stream's name in its header. Guarded by the
 * device's lock.
 */
final class FrameDispatcher {
  private final TcpNetwork network;
  private final MuxConnection connection;

  /** The streams that have not closed, by their own queue pair's number. */
  private final Map<Integer, TcpStream> byQueuePair = new HashMap<>();

  /** The streams that something came for in the read under way. */
  private final List<TcpStream> withInput = new ArrayList<>();

  /** The stream of the frame that is arriving, or null. */
  private TcpStream receiver;

  FrameDispatcher(TcpNetwork network, MuxConnection connection) {
    this.network = network;
    this.connection = connection;
  }

  void add(TcpStream stream) {
    byQueuePair.put(stream.ends().localQueuePair(), stream);
  }

  void remove(TcpStream stream) {
    byQueuePair.remove(stream.ends().localQueuePair(), stream);
  }

  /** Whether no stream is left that frames may come for. */
  boolean isIdle() {
    return byQueuePair.isEmpty();
  }

  void clear() {
    byQueuePair.clear();
  }

  /** The stream of the frame that is arriving, or null. */
  TcpStream receiver() {
    return receiver;
  }

  /** The rest of the frame that is arriving reaches no stream. */
  void dropReceiver() {
    receiver = null;
  }

  /** Something has come by the connection. */
  void onReceived(long nowNs) {
    if (receiver != null) {
      receiver.onReceived(nowNs);
    }
  }

  /** A frame begins; the target stays empty if no stream has use for its payload. */
  void beginFrame(FrameHeader header, PayloadViews target) {
    receiver = isAboutStreams(header) ? null : find(header);
    if (receiver != null) {
      receiver.onReceived(connection.health().lastReceivedNs());
      receiver.listener().beginFrame(header, target);
    }
  }

  private static boolean isAboutStreams(FrameHeader header) {
    return header.type == FrameType.OPEN || header.type == FrameType.CLOSE;
  }

  /** Null for a stream that has ended, or is not on this connection. */
  private TcpStream find(FrameHeader header) {
    TcpStream stream = network.streams().find(header.destination);
    return stream != null && stream.connection() == connection && stream.isUp() ? stream : null;
  }

  void endFrame(FrameHeader header) {
    if (isAboutStreams(header)) {
      openOrClose(header);
    } else if (receiver != null) {
      TcpStream stream = receiver;
      receiver = null;
      if (!stream.hasInput()) {
        stream.setHasInput(true);
        withInput.add(stream);
      }
      stream.listener().endFrame(header);
    }
  }

  private void openOrClose(FrameHeader header) {
    TcpStream stream = byQueuePair.get(header.remoteKey);
    if (stream == null && header.type == FrameType.OPEN) {
      stream = network.migrate(connection, header);
    }
    if (stream == null || stream.ends().remoteQueuePair() != header.sequence) {
      return;
    }
    if (header.type == FrameType.OPEN && !connection.isProved(stream, header)) {
      network.acceptor().countRefusedOpen();
    } else if (header.type == FrameType.OPEN) {
      stream.onOpen(header.remoteAddress, header.destination, connection.health().lastReceivedNs());
    } else {
      stream.onClose(header);
    }
  }

  /**
   * Queues the streams that something came for and that have something to answer.
   *
   * @return the most urgent of what they have to send
   */
  StreamListener.Pending queueAnswers(FrameWriter writer) {
    StreamListener.Pending most = StreamListener.Pending.NOTHING;
    for (int i = 0; i < withInput.size(); i++) {
      TcpStream stream = withInput.get(i);
      stream.setHasInput(false);
      StreamListener.Pending pending = stream.listener().pending();
      if (pending != StreamListener.Pending.NOTHING && stream.connection() == connection) {
        writer.add(stream);
        most = most == StreamListener.Pending.MORE ? most : pending;
      }
    }
    withInput.clear();
    return most;
  }
}
