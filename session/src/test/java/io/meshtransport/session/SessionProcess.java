// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.session;

import io.meshtransport.spi.Transport;
import io.meshtransport.testing.StoppedProcess;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;

/** A node in a JVM of its own, which answers requests with its process number until it is ended. */
final class SessionProcess implements AutoCloseable {
  private final Process process;
  private final byte[] handle;

  private SessionProcess(Process process, byte[] handle) {
    this.process = process;
    this.handle = handle;
  }

  /**
   * Starts one.
   *
   * @param settings of its transport, by their names in the environment
   */
  static SessionProcess start(Map<String, String> settings) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(
                System.getProperty("java.home") + File.separator + "bin" + File.separator + "java",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                SessionProcess.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().putAll(settings);
    Process process = builder.start();
    BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII));
    String line = lines.readLine();
    while (line != null && !line.startsWith("handle ")) {
      line = lines.readLine();
    }
    if (line == null) {
      process.destroyForcibly();
      throw new IOException("the node has ended before it had a handle");
    }
    return new SessionProcess(
        process, Base64.getDecoder().decode(line.substring("handle ".length())));
  }

  byte[] handle() {
    return handle;
  }

  long pid() {
    return process.pid();
  }

  /** As SIGSTOP does; returns once no thread of it runs. */
  void stop() throws IOException, InterruptedException {
    StoppedProcess.stop(pid());
  }

  /** As SIGKILL does: no goodbye. */
  void kill() {
    process.destroyForcibly();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }

  public static void main(String[] arguments) throws Exception {
    MessageHandler handler =
        new MessageHandler() {
          @Override
          public void onMessage(PeerSession from, ByteBuffer message) {
            // Only answers.
          }

          @Override
          public void onRequest(PeerSession from, ByteBuffer request, Reply reply) {
            reply.send(SessionNode.bytes("" + ProcessHandle.current().pid()));
          }
        };
    Transport transport = Transport.open();
    Session session =
        Session.open(transport, name -> Optional.empty(), handler, SessionOptions.DEFAULT);
    System.out.println("handle " + Base64.getEncoder().encodeToString(session.handle()));
    // Until the test ends: its end of the pipe closes then.
    while (System.in.read() >= 0) {
      Thread.onSpinWait();
    }
    System.exit(0);
  }
}
