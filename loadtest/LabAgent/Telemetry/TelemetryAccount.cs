using System.Diagnostics;
using Azure.Core;
using Azure.Core.Pipeline;
using OpenTelemetry;
using OpenTelemetry.Logs;

namespace DroneDelivery.LabAgent.Telemetry;

/// <summary>Counts recorded items and the collector's response to each upload. Thread-safe.</summary>
internal sealed class TelemetryAccount
{
    private long _recorded,
        _received,
        _accepted;

    public long Recorded => Interlocked.Read(ref _recorded);

    public long Refused => Interlocked.Read(ref _received) - Interlocked.Read(ref _accepted);

    /// <summary>Recorded items that no acknowledged upload contained.</summary>
    public long Lost => Recorded - Interlocked.Read(ref _received);

    /// <summary>Counts a span and each of its exceptions, as the exporter sends them.</summary>
    public sealed class Spans(TelemetryAccount account) : BaseProcessor<Activity>
    {
        public override void OnEnd(Activity data)
        {
            if (data.Recorded)
                Interlocked.Add(ref account._recorded, 1 + data.Events.Count());
        }
    }

    public sealed class Logs(TelemetryAccount account) : BaseProcessor<LogRecord>
    {
        public override void OnEnd(LogRecord data) => Interlocked.Increment(ref account._recorded);
    }

    public sealed class Uploads(TelemetryAccount account) : HttpPipelineSynchronousPolicy
    {
        public override void OnReceivedResponse(HttpMessage message)
        {
            if (message.Response.Status is not (200 or 206 or 400))
                return;
            var answer = message.Response.Content.ToObjectFromJson<Answer>()!;
            Interlocked.Add(ref account._received, answer.itemsReceived);
            Interlocked.Add(ref account._accepted, answer.itemsAccepted);
        }

#pragma warning disable IDE1006 // the names in the JSON
        private sealed record Answer(int itemsReceived, int itemsAccepted);
#pragma warning restore IDE1006
    }
}
