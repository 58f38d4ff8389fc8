using DroneDelivery.Lab.Measure;
using DroneDelivery.Telemetry.Ingest;
using DroneDelivery.Telemetry.Query;
using Microsoft.AspNetCore.Http;

namespace DroneDelivery.Lab.Report;

/// <summary>Where a query is wrong, why, and what to do about it: <see cref="KqlException"/> for the page.</summary>
internal sealed record Mistake(int Line, int Column, string Reason, string? Hint);

/// <summary>Queries that people ask while a run is measured on the same machine: one at a time, and none of them for long.</summary>
internal sealed class LiveQuery(TelemetryStore store, TimeProvider clock) : IDisposable
{
    private const long LongestQuery = 64 * 1024;
    private readonly SemaphoreSlim _one = new(1);

    /// <summary>A tenth of what <c>lab query</c> may take, which disturbs nobody.</summary>
    public static QueryLimits Limits { get; } = new()
    {
        Time = TimeSpan.FromSeconds(2),
        ResultRows = 50_000,
        JoinRows = 500_000,
        HeldValues = 5_000_000,
        Characters = 20_000_000,
    };

    public async Task<IResult> AnswerAsync(HttpRequest request, CancellationToken cancellationToken)
    {
        if (request.ContentLength is null or > LongestQuery)
            return Results.Text($"A query has at most {LongestQuery:N0} bytes.", statusCode: StatusCodes.Status413PayloadTooLarge);
        using var reader = new StreamReader(request.Body);
        var text = await reader.ReadToEndAsync(cancellationToken);
        return await AnswerAsync(
            telemetry => Results.Content(
                AnswerPage.Render(telemetry.AskAll(KqlQuery.Parse(text), clock.GetUtcNow(), Limits, cancellationToken)).Markup,
                "text/html; charset=utf-8"),
            cancellationToken);
    }

    /// <summary>Answers when those who asked before have been answered.</summary>
    /// <param name="ask">Asks within <see cref="Limits"/>.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    public async Task<IResult> AnswerAsync(Func<RunTelemetry, IResult> ask, CancellationToken cancellationToken)
    {
        await _one.WaitAsync(cancellationToken);
        try
        {
            return ask(new RunTelemetry(store.Snapshot(), clock));
        }
        catch (KqlException exception)
        {
            return Results.Json(
                new Mistake(exception.Line, exception.Column, exception.Reason, exception.Hint),
                statusCode: StatusCodes.Status400BadRequest);
        }
        finally
        {
            _one.Release();
        }
    }

    public void Dispose() => _one.Dispose();
}
