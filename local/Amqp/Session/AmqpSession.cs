namespace DroneDelivery.Amqp;

/// <summary>A session: ordered transfers, windows, and delivery IDs for its links (AMQP 1.0 §2.5).</summary>
public sealed partial class AmqpSession
{
    private readonly SessionOptions _options;
    private readonly TaskCompletionSource _begun = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private bool _isEnding;
    private AmqpError? _error;

    /// <param name="holdingBack">The connection's list of sessions with pending dispositions.</param>
    internal AmqpSession(
        AmqpConnection connection,
        SessionOptions options,
        ushort channel,
        List<AmqpSession> holdingBack
    )
    {
        Connection = connection;
        Channel = channel;
        _options = options;
        _holdingBack = holdingBack;
        _links = new LinkTable(options.HandleMax);
        Outgoing = new UnsettledDeliveries(connection.Allowance.Unsettled);
        _incomingWindow = options.IncomingWindow;
        _nextOutgoingId = options.FirstId;
        _nextDeliveryId = options.FirstId;
    }

    public AmqpConnection Connection { get; }

    public object? State { get; set; }

    /// <summary><c>true</c> once either side has ended the session or the connection has ended.</summary>
    public bool IsEnded => _isEnding || Connection.IsClosing;

    internal ushort Channel { get; }

    internal Task Begun => _begun.Task;

    /// <summary>An error of the peer that ends only this session (AMQP 1.0 §2.8.17).</summary>
    internal static AmqpException Error(string condition, string description) =>
        new(condition, description) { EndsSession = true };

    /// <summary>Sends an end. All links of the session are immediately closed.</summary>
    internal void BeginEnd(AmqpError? error)
    {
        lock (Connection.Gate)
        {
            if (IsEnded)
                return;
            _error = error;
            WriteEnd(error);
        }
    }

    internal void WriteBegin(ushort? remoteChannel) =>
        Connection.Write(
            Channel,
            new Begin(
                remoteChannel,
                _nextOutgoingId,
                _options.IncomingWindow,
                _options.OutgoingWindow,
                _options.HandleMax
            )
        );

    internal void OnBegin(Begin begin, ushort remoteChannel)
    {
        _nextIncomingId = begin.NextOutgoingId;
        _remoteIncomingWindow = begin.IncomingWindow;
        _links.LimitHandles(begin.HandleMax);
        if (begin.RemoteChannel is null)
            WriteBegin(remoteChannel);
        _begun.TrySetResult();
    }

    internal void OnEnd(AmqpError? error)
    {
        lock (Connection.Gate)
        {
            if (!IsEnded)
                WriteEnd(null);
            _error = error ?? _error;
        }
        Finish(_error);
    }

    internal void OnConnectionGone(AmqpError error)
    {
        _begun.TrySetException(new AmqpException(error));
        Finish(error);
    }

    private void WriteEnd(AmqpError? error)
    {
        WriteHeldBackDispositions();
        DropBlocked(link: null);
        _isEnding = true;
        Connection.Write(Channel, new End(error));
    }

    private void Finish(AmqpError? error)
    {
        List<AmqpLink> links;
        lock (Connection.Gate)
        {
            _isEnding = true;
            links = _links.TakeAll();
            foreach (var link in links)
                ForgetAttach(link);
        }
        List<Exception>? defects = null;
        foreach (var link in links)
        {
            try
            {
                link.Finish(error);
            }
            catch (Exception e)
            {
                (defects ??= []).Add(e);
            }
        }
        if (defects is not null)
            throw new AggregateException(defects);
    }
}
