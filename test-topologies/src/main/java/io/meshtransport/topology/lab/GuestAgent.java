// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.topology.lab;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Runs in every guest and starts what the fabric tells it to, over {@link HandshakeFrame}s on its
 * standard input and output: a port of the guest whose other end is a socket of the host. Ends when
 * its input does, and the guest with it, so that no guest outlives its fabric.
 *
 * <p>Uses nothing beyond the JDK: each class costs an emulated guest time before it is of use.
 */
public final class GuestAgent {
  private final DataInputStream in;
  private final DataOutputStream out;
  private final Map<Integer, GuestProgram> programs = new ConcurrentHashMap<>();

  GuestAgent(InputStream in, OutputStream out) {
    this.in = new DataInputStream(new BufferedInputStream(in));
    this.out = new DataOutputStream(new BufferedOutputStream(out));
  }

  /**
   * @param arguments none
   */
  public static void main(String[] arguments) throws IOException {
    // Not System.out, which would hide that writing failed.
    OutputStream out = new FileOutputStream(FileDescriptor.out);
    System.setOut(System.err);
    new GuestAgent(new Port(), out).run();
    System.exit(0);
  }

  /** The guest's port, of which the kernel does not tell how many bytes wait. */
  private static final class Port extends FilterInputStream {
    Port() {
      super(new FileInputStream(FileDescriptor.in));
    }

    @Override
    public int available() {
      return 0;
    }
  }

  void run() throws IOException {
    send(AgentFrame.end(AgentFrame.Kind.READY, 0));
    for (Optional<AgentFrame> frame = AgentFrame.read(in);
        frame.isPresent();
        frame = AgentFrame.read(in)) {
      obey(frame.get());
    }
    programs.values().forEach(program -> program.signal("KILL"));
  }

  private void obey(AgentFrame frame) throws IOException {
    if (frame.kind() == AgentFrame.Kind.START) {
      start(frame);
      return;
    }
    GuestProgram program = programs.get(frame.program());
    if (program == null) {
      // It has ended in the meantime.
      return;
    }
    if (frame.kind() == AgentFrame.Kind.INPUT) {
      program.input(frame);
    } else if (frame.kind() == AgentFrame.Kind.SIGNAL) {
      program.signal(frame.text());
    } else {
      throw new IOException("a fabric does not send " + frame.kind());
    }
  }

  private void start(AgentFrame frame) throws IOException {
    int number = frame.program();
    try {
      GuestProgram program =
          GuestProgram.start(number, StartRequest.decode(frame.content()), this::send);
      programs.put(number, program);
      program.run(() -> programs.remove(number));
    } catch (IOException e) {
      send(AgentFrame.of(AgentFrame.Kind.REFUSED, number, String.valueOf(e.getMessage())));
    }
  }

  /** Any thread. */
  private void send(AgentFrame frame) throws IOException {
    synchronized (out) {
      frame.write(out);
    }
  }
}
