using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Options;

namespace DroneDelivery.ServiceDefaults.Emulation;

/// <summary>
/// The node and the store that a request would meet in a cluster. One sample of the latency starts when the request arrives; the answer,
/// an error included, does not start before it has passed. What the request really takes counts towards it.
/// </summary>
/// <remarks>
/// The runtime's timers follow a clock of 4 ms on Linux: one answer may come some milliseconds early or late, the mean is right. Waiting
/// until no answer is early would make all of them late.
/// </remarks>
internal sealed class EmulationMiddleware(RequestDelegate next, IOptions<EmulationOptions> options, CpuGate gate, TimeProvider time)
{
    private readonly EmulatedLatency? _latency = options.Value.Latency is { Mu: { } mu, Sigma: { } sigma }
        ? new(mu, sigma, options.Value.Seed ?? Environment.ProcessId)
        : null;

    public Task InvokeAsync(HttpContext context)
    {
        if (_latency is not null)
            HoldAnswer(context, _latency.Next());
        return gate.IsOn ? HoldGateAsync(context) : next(context);
    }

    // Inside the measured time: waiting for the node counts towards the sample.
    private async Task HoldGateAsync(HttpContext context)
    {
        await gate.HoldAsync();
        await next(context);
    }

    private void HoldAnswer(HttpContext context, TimeSpan sample)
    {
        var arrived = time.GetTimestamp();
        context.Response.OnStarting(() =>
        {
            // Rounded, because a timer cuts off fractions of a millisecond.
            var remainder = TimeSpan.FromMilliseconds(Math.Round((sample - time.GetElapsedTime(arrived)).TotalMilliseconds));
            return remainder > TimeSpan.Zero ? Task.Delay(remainder, time, context.RequestAborted) : Task.CompletedTask;
        });
    }
}
