// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli.map;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.meshtransport.neighbours.map.MeshMap;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * The drawing of a mesh in browsers, redrawn when it changes: one page without anything from
 * elsewhere, and server-sent events (WHATWG HTML, 9.2) with a drawing each. Any thread may update
 * the map.
 */
public final class MapServer implements AutoCloseable {
  /** Bound on browsers that watch; each has a thread. */
  static final int MAX_WATCHERS = 16;

  /** For pages and maps, which take no time. */
  private static final int OTHER_THREADS = 4;

  /** After this a line is sent that means nothing, so that a browser that is gone is noticed. */
  private static final long KEEPALIVE_MS = 5000;

  private static final int OK = 200;
  private static final int FORBIDDEN = 403;
  private static final int NOT_FOUND = 404;
  private static final int WRONG_METHOD = 405;
  private static final int UNAVAILABLE = 503;

  private static final String PAGE =
      """
      <!DOCTYPE html>
      <html lang="en"><head><meta charset="utf-8"><title>mesh</title>
      <style>body{margin:0;font-family:monospace}#state{padding:6px 24px;color:#fff;background:#2f6f4f}
      #state.lost{background:#c62828}svg{max-width:100%;height:auto}</style></head>
      <body><div id="state">connecting</div><div id="map"></div>
      <script>
      const state = document.getElementById('state');
      const events = new EventSource('/events');
      events.onmessage = e => {
        document.getElementById('map').innerHTML = e.data;
        state.className = '';
        state.textContent = 'live, last change ' + new Date().toLocaleTimeString();
      };
      events.onerror = () => {
        state.className = 'lost';
        state.textContent = 'no connection to ./mesh map: the picture is old';
      };
      </script></body></html>
      """;

  private final HttpServer server;
  private final ExecutorService threads =
      Executors.newFixedThreadPool(MAX_WATCHERS + OTHER_THREADS, MapServer::thread);
  private final Semaphore watchers = new Semaphore(MAX_WATCHERS);
  private final Object changed = new Object();
  private MeshMap map;
  private String svg = "";
  private long version;
  private boolean isClosed;

  private MapServer(HttpServer server, MeshMap map) {
    this.server = server;
    update(map);
  }

  private static Thread thread(Runnable run) {
    Thread thread = new Thread(run, "mesh-map-server");
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Begins to serve.
   *
   * @param address where; the port may be 0
   * @throws IOException if the port is in use or the address is none of this host
   */
  public static MapServer open(InetSocketAddress address, MeshMap first) throws IOException {
    HttpServer http = HttpServer.create(address, MAX_WATCHERS);
    MapServer server = new MapServer(http, first);
    http.createContext("/", server::handle);
    http.setExecutor(server.threads);
    http.start();
    return server;
  }

  /** Where it serves. */
  public InetSocketAddress address() {
    return server.getAddress();
  }

  /** Shows this map from now on. */
  public void update(MeshMap now) {
    synchronized (changed) {
      if (!now.equals(map)) {
        map = now;
        svg = SvgPicture.of(now).replace("\n", "");
        version++;
        changed.notifyAll();
      }
    }
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      if (!isOwnHost(exchange.getRequestHeaders().getFirst("Host"))) {
        answer(exchange, FORBIDDEN, "text/plain", "Use the address or localhost.\n");
      } else if (!exchange.getRequestMethod().equals("GET")) {
        answer(exchange, WRONG_METHOD, "text/plain", "GET alone is possible.\n");
      } else {
        handle(exchange, exchange.getRequestURI().getPath());
      }
    }
  }

  private void handle(HttpExchange exchange, String path) throws IOException {
    switch (path) {
      case "/" -> answer(exchange, OK, "text/html; charset=utf-8", PAGE);
      case "/map.json" -> answer(exchange, OK, "application/json", current().json());
      case "/map.svg" -> answer(exchange, OK, "image/svg+xml", SvgPicture.of(current()));
      case "/events" -> {
        if (!watchers.tryAcquire()) {
          answer(exchange, UNAVAILABLE, "text/plain", MAX_WATCHERS + " watch already.\n");
          return;
        }
        try {
          stream(exchange);
        } finally {
          watchers.release();
        }
      }
      default -> answer(exchange, NOT_FOUND, "text/plain", "There is /, /map.json, /map.svg.\n");
    }
  }

  private MeshMap current() {
    synchronized (changed) {
      return map;
    }
  }

  /**
   * Whether a browser was sent here by this host's address or name. A page of another site whose
   * name was made to lead here (DNS rebinding) says that name.
   */
  static boolean isOwnHost(String host) {
    return host != null
        && (host.matches("localhost(:\\d+)?")
            || host.matches("[\\d.]+(:\\d+)?")
            || host.matches("\\[[0-9a-fA-F:.%]+\\](:\\d+)?"));
  }

  private static void answer(HttpExchange exchange, int status, String type, String text)
      throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    headers(exchange, type);
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  private static void headers(HttpExchange exchange, String type) {
    exchange.getResponseHeaders().set("Content-Type", type);
    exchange.getResponseHeaders().set("Cache-Control", "no-store");
    exchange.getResponseHeaders().set("X-Content-Type-Options", "nosniff");
    exchange
        .getResponseHeaders()
        .set(
            "Content-Security-Policy",
            "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline';"
                + " connect-src 'self'");
  }

  private void stream(HttpExchange exchange) throws IOException {
    headers(exchange, "text/event-stream");
    exchange.sendResponseHeaders(OK, 0);
    OutputStream body = exchange.getResponseBody();
    long seen = 0;
    while (true) {
      Optional<String> drawing;
      synchronized (changed) {
        awaitChange(seen);
        if (isClosed) {
          return;
        }
        drawing = version == seen ? Optional.empty() : Optional.of(svg);
        seen = version;
      }
      String event = drawing.map(each -> "data: " + each + "\n\n").orElse(": still here\n\n");
      body.write(event.getBytes(StandardCharsets.UTF_8));
      body.flush();
    }
  }

  /** Waits for another version, the end, or the time of a keepalive. The lock is held. */
  private void awaitChange(long seen) throws IOException {
    long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(KEEPALIVE_MS);
    try {
      while (version == seen && !isClosed) {
        long leftMs = TimeUnit.NANOSECONDS.toMillis(endNs - System.nanoTime());
        if (leftMs <= 0) {
          return;
        }
        changed.wait(leftMs);
      }
    } catch (InterruptedException e) {
      throw new IOException("the server closes", e);
    }
  }

  /** Ends all connections. */
  @Override
  public void close() {
    synchronized (changed) {
      isClosed = true;
      changed.notifyAll();
    }
    server.stop(0);
    threads.shutdownNow();
  }
}
