/**
 * What a message costs in calls and garbage, where no device and no wire costs anything: {@code
 * ./mesh bench calls}. JMH runs it, in JVMs of its own.
 */
package io.meshtransport.bench.calls;
