using System.Diagnostics;
using Microsoft.ApplicationInsights;
using Microsoft.ApplicationInsights.DataContracts;
using Microsoft.Extensions.Hosting;

namespace DroneDelivery.ServiceDefaults.Telemetry;

/// <summary>Makes a dependency of each call to Redis.</summary>
internal sealed class TrackRedis(TelemetryClient telemetry) : IHostedService, IDisposable
{
    private ActivityListener? _listener;

    public Task StartAsync(CancellationToken cancellationToken)
    {
        _listener = new()
        {
            ShouldListenTo = source => source.Name == RedisCalls.SourceName,
            Sample = (ref _) => ActivitySamplingResult.AllData,
            ActivityStopped = call => telemetry.TrackDependency(Dependency(call)),
        };
        ActivitySource.AddActivityListener(_listener);
        return Task.CompletedTask;
    }

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public void Dispose() => _listener?.Dispose();

    private static DependencyTelemetry Dependency(Activity call)
    {
        var dependency = new DependencyTelemetry
        {
            Id = call.SpanId.ToHexString(),
            Type = "Redis",
            Target = (string?)call.GetTagItem(RedisCalls.AddressTag),
            Name = call.OperationName,
            Timestamp = call.StartTimeUtc,
            Duration = call.Duration,
            Success = call.Status != ActivityStatusCode.Error,
            ResultCode = call.StatusDescription,
        };
        // The call is still the current activity, and would become its own parent.
        dependency.Context.Operation.Id = call.TraceId.ToHexString();
        dependency.Context.Operation.ParentId = call.ParentSpanId.ToHexString();
        return dependency;
    }
}
