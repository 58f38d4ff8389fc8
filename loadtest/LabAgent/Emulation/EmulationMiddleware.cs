using DroneDelivery.ServiceDefaults.Errors;
using Microsoft.AspNetCore.Http;

namespace DroneDelivery.LabAgent.Emulation;

/// <summary>
/// The node and the store that a request would meet in a cluster. One sample of the latency starts when the request was sent
/// (<see cref="SentAt"/>); the answer, an error included, does not start before it has passed. What the request really takes
/// counts toward it.
/// </summary>
/// <remarks>
/// The runtime's timers follow a clock of 4 ms on Linux, and come late more often than early. What they were late by on
/// average is taken off the next wait: one answer may come some milliseconds early or late, the mean is right.
/// </remarks>
internal sealed class EmulationMiddleware(
    RequestDelegate next,
    EmulatedAnswers answers,
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

    // Inside the measured time: waiting for the node counts toward the sample.
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

    // Thrown where the endpoint would be, so that the service answers it as it does for any dependency that is away.
    private static void Fail(HttpContext context, DependencyUnavailableException why, string name) =>
        context.SetEndpoint(new Endpoint(_ => Task.FromException(why), metadata: null, name));

    private void HoldAnswer(HttpContext context, TimeSpan sample)
    {
        var sent = SentAt.Of(context.Request, time);
        context.Response.OnStarting(async () =>
        {
            await WaitAsync(sent, sample, context.RequestAborted);
            SentAt.SayAnswered(context, time);
        });
    }

    private async Task WaitAsync(long sent, TimeSpan sample, CancellationToken aborted)
    {
        var wait = sample - time.GetElapsedTime(sent) - _lateness.Mean;
        if (wait <= TimeSpan.Zero)
            return;
        var began = time.GetTimestamp();
        // Rounded, because a timer cuts off fractions of a millisecond.
        await Task.Delay(TimeSpan.FromMilliseconds(Math.Round(wait.TotalMilliseconds)), time, aborted);
        _lateness.Add(time.GetElapsedTime(began) - wait);
    }
}
