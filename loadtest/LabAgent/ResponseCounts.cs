using System.Collections.Concurrent;
using DroneDelivery.ServiceDefaults.Errors;
using Microsoft.AspNetCore.Diagnostics;
using Microsoft.AspNetCore.Http;

namespace DroneDelivery.LabAgent;

/// <summary>
/// Counts the API responses of this process, the 5xx responses, and their problem types. Runs before the service's own middleware, which
/// can still change the status.
/// </summary>
internal sealed class ResponseCounts(RequestDelegate next)
{
    private static readonly PathString Route = "/$responses";
    private readonly ConcurrentDictionary<string, long> _causes = [];
    private long _responses,
        _serverErrors;

    public Task InvokeAsync(HttpContext context)
    {
        if (context.Request.Path.StartsWithSegments("/api"))
            return CountAsync(context);
        return context.Request.Path == Route ? context.Response.WriteAsJsonAsync(Read()) : next(context);
    }

    private async Task CountAsync(HttpContext context)
    {
        await next(context);
        Interlocked.Increment(ref _responses);
        if (context.Response.StatusCode < StatusCodes.Status500InternalServerError)
            return;
        Interlocked.Increment(ref _serverErrors);
        if (
            context.Features.Get<IExceptionHandlerFeature>()?.Error is DependencyUnavailableException
            {
                ProblemType: var cause
            }
        )
        {
            _causes.AddOrUpdate(cause, 1, (_, count) => count + 1);
        }
    }

    private object Read() =>
        new
        {
            process = Environment.ProcessId,
            responses = Interlocked.Read(ref _responses),
            serverErrors = Interlocked.Read(ref _serverErrors),
            causes = _causes,
        };
}
