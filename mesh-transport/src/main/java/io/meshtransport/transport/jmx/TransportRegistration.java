// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport.jmx;

import io.meshtransport.spi.MeshKnowledge;
import io.meshtransport.spi.Transport;
import io.meshtransport.transport.channel.ChannelRegistry;
import java.lang.management.ManagementFactory;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.ObjectName;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * Registers the bean of a transport with the platform's MBean server, and unregisters it. A thread
 * of its own registers it, once, because the first use of that server takes a fresh JVM 50 ms and
 * more, which no opening is to wait for. Where registering fails, as in a Java runtime without the
 * module java.management, the transport works without a bean. Any thread may call it.
 */
public final class TransportRegistration implements AutoCloseable {
  /** The domain of all names. */
  public static final String DOMAIN = "io.meshtransport";

  private static final Pattern PLAIN = Pattern.compile("[\\p{Alnum}._-]+");
  private static final Logger LOG = LogManager.getLogger(TransportRegistration.class);

  private final Transport transport;
  private final ChannelRegistry channels;
  private final Supplier<MeshKnowledge> mesh;

  /** Undoes what was registered; null once the transport is closed. */
  private Runnable undo = () -> {};

  /**
   * @param mesh what is known of the mesh now
   */
  public TransportRegistration(
      Transport transport, ChannelRegistry channels, Supplier<MeshKnowledge> mesh) {
    this.transport = transport;
    this.channels = channels;
    this.mesh = mesh;
  }

  /** Registers the bean soon. */
  public void begin() {
    Thread thread = new Thread(this::register, "mesh-jmx");
    thread.setDaemon(true);
    thread.start();
  }

  private void register() {
    if (isClosed()) {
      return;
    }
    try {
      registered(register(new TransportBean(transport, channels, mesh)));
    } catch (JMException | RuntimeException | LinkageError e) {
      LOG.warn("this transport cannot be watched by JMX: {}", e.toString());
    }
  }

  private synchronized boolean isClosed() {
    return undo == null;
  }

  private synchronized void registered(Runnable toUndo) {
    if (isClosed()) {
      toUndo.run();
    } else {
      undo = toUndo;
    }
  }

  private static Runnable register(TransportBean bean) throws JMException {
    ObjectName name = name(bean);
    ManagementFactory.getPlatformMBeanServer().registerMBean(bean, name);
    return () -> {
      bean.detach();
      try {
        ManagementFactory.getPlatformMBeanServer().unregisterMBean(name);
      } catch (JMException | RuntimeException e) {
        LOG.warn("{} cannot be unregistered: {}", name, e.toString());
      }
    };
  }

  private static ObjectName name(TransportBean bean) throws JMException {
    String node = bean.getNode();
    String property = "";
    if (!node.isEmpty()) {
      property = ",node=" + (PLAIN.matcher(node).matches() ? node : ObjectName.quote(node));
    }
    return new ObjectName(DOMAIN + ":type=Transport" + property + ",id=" + bean.getId());
  }

  /** Unregisters the bean, which refers to nothing of the transport from here on. */
  @Override
  public synchronized void close() {
    if (undo != null) {
      undo.run();
      undo = null;
    }
  }
}
