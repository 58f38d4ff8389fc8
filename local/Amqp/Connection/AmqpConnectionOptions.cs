namespace DroneDelivery.Amqp;

public sealed record AmqpConnectionOptions
{
    public string ContainerId { get; set; } = Guid.NewGuid().ToString("N");

    /// <summary>The maximum interval between frames from the peer, sent in the open frame. The connection ends after
    /// twice this time, as AMQP 1.0 §2.4.5 recommends. Zero for no limit.</summary>
    public TimeSpan IdleTimeout { get; set; } = TimeSpan.FromSeconds(60);

    /// <summary>The maximum size of incoming frames, in bytes; at least 512 (AMQP 1.0 §2.7.1).</summary>
    public uint MaxFrameSize { get; set; } = 65536;

    /// <summary>The highest channel number. Each session uses one channel.</summary>
    public ushort ChannelMax { get; set; } = 4999;

    /// <summary>The maximum number of links of a peer, across sessions. Exceeding it ends the session.</summary>
    public int MaxLinks { get; set; } = 5000;

    /// <summary>The maximum size of unfinished incoming messages across links, including bytes kept for the peer (<see
    /// cref="AmqpConnection.TryKeep"/>). A link that exceeds it is detached; a single message is limited only by its
    /// link. Also applies to outgoing messages that wait for the peer's windows: no further message is
    /// started.</summary>
    public long MaxPartialBytes { get; set; } = 16 * 1024 * 1024;

    /// <summary>The maximum number of unsettled outgoing deliveries, across sessions. At the limit, <see
    /// cref="SenderLink.TrySend"/> sends no more until an eighth of them is settled.</summary>
    public int MaxUnsettled { get; set; } = 65536;

    /// <summary>Authenticates a client; <c>null</c> to accept all clients.</summary>
    public Func<SaslInit, bool>? Authenticate { get; set; }

    public TimeProvider TimeProvider { get; set; } = TimeProvider.System;

    /// <summary>The timeout for protocol headers, SASL, and open together, and for the peer's close.</summary>
    public TimeSpan HandshakeTimeout { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>The number of unsent bytes from which <see cref="AmqpConnection.IsWriteBacklogged"/> is <c>true</c>,
    /// until half remains. At four times this number, the server stops reading from the client.</summary>
    public int WriteBacklog { get; set; } = 256 * 1024;
}
