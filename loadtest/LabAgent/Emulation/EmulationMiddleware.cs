using DroneDelivery.ServiceDefaults.Errors;
using Microsoft.AspNetCore.Http;

namespace DroneDelivery.LabAgent.Emulation;

/// <summary>
/// Emulates the node and the store of a request. A sampled latency starts when the request was sent (<see cref="SentAt"/>) and includes the
/// real duration; the response, even an error, starts after it.
/// </summary>
/// <remarks>
/// Linux timers have a resolution of 4 ms and are usually late. The next wait is shortened by the mean lateness, so the mean latency is
/// exact.
/// </remarks>
internal sealed class EmulationMiddleware(
    RequestDelegate next,
    EmulatedResponses answers,
    CpuGate gate,
    TimeProvider time
)
{
    private readonly MeanLateness _lateness = new();

    public Task InvokeAsync(HttpContext context)
    {
        if (answers.HasLatency)
            HoldAnswer(context, answers.NextLatency());
        if (answers.NextError() is { } error)
            Fail(context, error, "An emulated error");
        return gate.IsOn ? HoldGateAsync(context) : next(context);
    }

    // Waiting for the node counts toward the sampled latency.
    private async Task HoldGateAsync(HttpContext context)
    {
        try
        {
            await gate.HoldAsync();
        }
        catch (DependencyUnavailableException gone)
        {
            Fail(context, gone, "The CPU gate is gone");
        }

        await next(context);
    }

    // Throws in place of the endpoint, like any unavailable dependency.
    private static void Fail(HttpContext context, DependencyUnavailableException why, string name) =>
        context.SetEndpoint(new Endpoint(_ => Task.FromException(why), metadata: null, name));

    private void HoldAnswer(HttpContext context, TimeSpan sample)
    {
        var sent = SentAt.Of(context.Request, time);
        context.Response.OnStarting(async () =>
        {
            await WaitAsync(sent, sample, context.RequestAborted);
            SentAt.AddResponseTime(context, time);
        });
    }

    private async Task WaitAsync(long sent, TimeSpan sample, CancellationToken aborted)
    {
        var wait = sample - time.GetElapsedTime(sent) - _lateness.Mean;
        if (wait <= TimeSpan.Zero)
            return;
        var began = time.GetTimestamp();
        // Rounded, because timers truncate fractions of a millisecond.
        await Task.Delay(TimeSpan.FromMilliseconds(Math.Round(wait.TotalMilliseconds)), time, aborted);
        _lateness.Add(time.GetElapsedTime(began) - wait);
    }
}
