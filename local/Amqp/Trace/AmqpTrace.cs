using System.Diagnostics.Tracing;
using System.Globalization;

namespace DroneDelivery.Amqp;

/// <summary>
/// Every frame of every connection of this process, for <c>dotnet-trace</c> or a listener in the process. Costs
/// one comparison for each frame while nobody listens.
/// </summary>
[EventSource(Name = SourceName)]
public sealed class AmqpTrace : EventSource
{
    public const string SourceName = "DroneDelivery-Amqp";

    /// <summary>Stands for the connection in frames that come before its open.</summary>
    internal const string Handshake = "handshake";

    private AmqpTrace() { }

    internal static AmqpTrace Log { get; } = new();

    /// <param name="connection">as <see cref="AmqpConnection.Id"/>, or <c>handshake</c></param>
    /// <param name="frame">performative and fields, and how many bytes follow</param>
    [Event(1, Level = EventLevel.Verbose)]
    public void Received(string connection, int channel, string frame) => WriteEvent(1, connection, channel, frame);

    /// <inheritdoc cref="Received(string, int, string)"/>
    [Event(2, Level = EventLevel.Verbose)]
    public void Sent(string connection, int channel, string frame) => WriteEvent(2, connection, channel, frame);

    [NonEvent]
    internal void Received(string connection, in Frame frame)
    {
        if (IsEnabled())
            Received(connection, frame.Channel, FrameText.Of(frame.Body));
    }

    [NonEvent]
    internal void Sent(string connection, ReadOnlyMemory<byte> frames)
    {
        if (!IsEnabled())
            return;
        var rest = new System.Buffers.ReadOnlySequence<byte>(frames);
        using var parser = new FrameParser(int.MaxValue);
        while (parser.TryRead(ref rest, out var frame))
            Sent(connection, frame.Channel, FrameText.Of(frame.Body));
    }
}

/// <summary>Writes frames as lines: <c>12:34:56.789 c1 ← ch0 transfer(…)</c>. An arrow to the left is a frame that has arrived.</summary>
public sealed class AmqpTraceLines(TextWriter output, TimeProvider time) : EventListener
{
    private readonly TextWriter _output = TextWriter.Synchronized(output);

    protected override void OnEventSourceCreated(EventSource eventSource)
    {
        if (eventSource?.Name == AmqpTrace.SourceName)
            EnableEvents(eventSource, EventLevel.Verbose);
    }

    protected override void OnEventWritten(EventWrittenEventArgs eventData)
    {
        if (
            eventData
            is not { EventSource.Name: AmqpTrace.SourceName, Payload: [string connection, int channel, string frame] }
        )
        {
            return;
        }

        var arrow = eventData.EventName == nameof(AmqpTrace.Received) ? '←' : '→';
        _output.WriteLine(
            string.Create(
                CultureInfo.InvariantCulture,
                $"{time.GetLocalNow():HH:mm:ss.fff} {connection} {arrow} ch{channel} {frame}"
            )
        );
    }
}
