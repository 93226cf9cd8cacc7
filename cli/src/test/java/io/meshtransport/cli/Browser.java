// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.meshtransport.topology.Fabric;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/**
 * A headless Chromium at a node of a fabric, driven by the DevTools protocol over two pipes, which
 * pass the borders of network namespaces. One thread; the caller closes it.
 */
final class Browser implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Without these a browser calls home, which fails in a namespace, again and again. */
  private static final String COMMAND =
      "TMPDIR='%1$s' exec chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run"
          + " --disable-background-networking --disable-component-update --disable-sync"
          + " --user-data-dir='%1$s' --remote-debugging-pipe 3<&0 4>&1 >/dev/null 2>&1";

  private final Process process;
  private final OutputStream requests;
  private final InputStream answers;
  private final String session;
  private int last;

  private Browser(Process process, String url) throws IOException {
    this.process = process;
    this.requests = process.getOutputStream();
    this.answers = new BufferedInputStream(process.getInputStream());
    ObjectNode target = JSON.createObjectNode().put("url", url);
    String id = call("Target.createTarget", target, "").path("targetId").asText();
    ObjectNode attach = JSON.createObjectNode().put("targetId", id).put("flatten", true);
    this.session = call("Target.attachToTarget", attach, "").path("sessionId").asText();
  }

  /** Why there is none on this host; empty if there is. */
  static Optional<String> obstacle() {
    boolean isThere =
        List.of(System.getenv("PATH").split(":")).stream()
            .anyMatch(folder -> Files.isExecutable(Path.of(folder, "chromium")));
    return isThere ? Optional.empty() : Optional.of("chromium is not installed");
  }

  /**
   * Opens a page.
   *
   * @param profile an empty folder, for all that it writes
   */
  static Browser open(Fabric fabric, String node, Path profile, String url) throws IOException {
    ProcessBuilder shell = new ProcessBuilder("sh", "-c", COMMAND.formatted(profile));
    return new Browser(fabric.start(node, shell), url);
  }

  /** The value of an expression on the page, as text. */
  String evaluate(String expression) throws IOException {
    ObjectNode what = JSON.createObjectNode().put("expression", expression);
    what.put("returnByValue", true);
    return call("Runtime.evaluate", what, session).path("result").path("value").asText();
  }

  /** Saves what the page looks like, as PNG. */
  void screenshot(Path file) throws IOException {
    String data =
        call("Page.captureScreenshot", JSON.createObjectNode(), session).get("data").asText();
    Files.write(file, Base64.getDecoder().decode(data));
  }

  private JsonNode call(String method, ObjectNode parameters, String in) throws IOException {
    int id = ++last;
    ObjectNode request = JSON.createObjectNode().put("id", id).put("method", method);
    request.set("params", parameters);
    if (!in.isEmpty()) {
      request.put("sessionId", in);
    }
    requests.write(JSON.writeValueAsBytes(request));
    requests.write(0);
    requests.flush();
    while (true) {
      JsonNode answer = JSON.readTree(next());
      if (answer.path("id").asInt() == id) {
        if (answer.has("error")) {
          throw new IOException(method + ": " + answer.get("error"));
        }
        return answer.get("result");
      }
    }
  }

  /** Messages end with a zero byte. */
  private String next() throws IOException {
    ByteArrayOutputStream message = new ByteArrayOutputStream();
    for (int octet = answers.read(); octet != 0; octet = answers.read()) {
      if (octet < 0) {
        throw new IOException("chromium has ended");
      }
      message.write(octet);
    }
    return message.toString(StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
    process.onExit().join();
  }
}
