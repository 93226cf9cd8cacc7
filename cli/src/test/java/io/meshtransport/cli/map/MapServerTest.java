// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli.map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.meshtransport.neighbours.map.MeshMap;
import io.meshtransport.neighbours.map.SampleMesh;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@link MapServer} over HTTP. */
class MapServerTest {
  private static final int TIMEOUT_MS = 10_000;

  private final MeshMap whole = SampleMesh.triangle().map();
  private final List<Socket> sockets = new ArrayList<>();
  private MapServer server;

  @BeforeEach
  void open() throws IOException {
    server = MapServer.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), whole);
  }

  @AfterEach
  void close() throws IOException {
    for (Socket each : sockets) {
      each.close();
    }
    server.close();
  }

  private BufferedReader get(String path, String host) throws IOException {
    Socket socket = new Socket(server.address().getAddress(), server.address().getPort());
    sockets.add(socket);
    socket.setSoTimeout(TIMEOUT_MS);
    socket
        .getOutputStream()
        .write(
            "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n"
                .formatted(path, host)
                .getBytes(StandardCharsets.US_ASCII));
    return new BufferedReader(
        new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
  }

  private static String lineWith(BufferedReader from, String part) throws IOException {
    String line = from.readLine();
    while (line != null && !line.contains(part)) {
      line = from.readLine();
    }
    return String.valueOf(line);
  }

  @Test
  void shouldServeAPageThatNeedsNothingElse() throws IOException {
    String page = get("/", "localhost").lines().reduce("", (all, line) -> all + line + "\n");

    assertTrue(page.startsWith("HTTP/1.1 200"), page);
    assertTrue(page.contains("EventSource('/events')"), page);
    assertTrue(page.contains("default-src 'none'"), page);
    assertFalse(page.contains("http://"), page);
    assertFalse(page.contains("https://"), page);
  }

  @Test
  void shouldSendADrawingAndAnotherWhenACableIsCut() throws IOException {
    BufferedReader events = get("/events", "127.0.0.1:80");

    assertTrue(lineWith(events, "data: ").contains("3 cables: 3 up"));
    server.update(SampleMesh.triangle().map());
    server.update(SampleMesh.triangle().cut("a", "b").map());
    assertTrue(lineWith(events, "data: ").contains("2 up, 1 CUT"), "equal maps are no event");
  }

  @Test
  void shouldServeTheMapAsJson() throws IOException {
    String answer = get("/map.json", "[::1]").lines().reduce("", (all, line) -> all + line + "\n");

    assertEquals(whole, MapReader.read(answer.substring(answer.indexOf('{'))));
  }

  @Test
  void shouldBoundWatchers() throws IOException {
    for (int i = 0; i < MapServer.MAX_WATCHERS; i++) {
      lineWith(get("/events", "localhost"), "data: ");
    }
    assertTrue(get("/events", "localhost").readLine().contains("503"));
    assertTrue(get("/", "localhost").readLine().contains("200"), "pages are still served");
  }

  @Test
  void shouldRefuseNamesOfOthersAndUnknownPaths() throws IOException {
    assertTrue(get("/map.json", "evil.example").readLine().contains("403"));
    assertTrue(get("/map.json", "localhost.evil.example").readLine().contains("403"));
    assertTrue(get("/etc/passwd", "localhost").readLine().contains("404"));
  }
}
