using System.Threading.RateLimiting;
using DroneDelivery.Lab.Measure;
using DroneDelivery.Telemetry.Query;
using Microsoft.AspNetCore.Http;

namespace DroneDelivery.Lab.Report;

/// <summary>Where a query is wrong, why, and what to do about it: <see cref="KqlException"/> for the page.</summary>
internal sealed record Mistake(int Line, int Column, string Reason, string? Hint);

/// <summary>Queries of those who look at a page: one at a time, so that a careless one costs a core at most.</summary>
/// <param name="now">Where lists, and queries that do not say, end.</param>
internal sealed class ViewerQueries(Func<RunTelemetry> telemetry, QueryLimits limits, Func<DateTimeOffset> now) : IDisposable
{
    private const long LongestQuery = 64 * 1024;
    private readonly ConcurrencyLimiter _one = new(new() { PermitLimit = 1, QueueLimit = int.MaxValue });

    /// <summary>While a run is measured on the same machine: a tenth of what <c>lab query</c> may take, which disturbs nobody.</summary>
    public static QueryLimits BesideRun { get; } = new()
    {
        Time = TimeSpan.FromSeconds(2),
        ResultRows = 50_000,
        JoinRows = 500_000,
        HeldValues = 5_000_000,
        Characters = 20_000_000,
    };

    public QueryLimits Limits => limits;

    public DateTimeOffset Now => now();

    public async Task<IResult> AnswerAsync(HttpRequest request, CancellationToken cancellationToken)
    {
        if (request.ContentLength is null or > LongestQuery)
            return Results.Text($"A query has at most {LongestQuery:N0} bytes.", statusCode: StatusCodes.Status413PayloadTooLarge);
        using var reader = new StreamReader(request.Body);
        var text = await reader.ReadToEndAsync(cancellationToken);
        return await AnswerAsync(
            asked => Results.Content(
                AnswerPage.Render(asked.AskAll(KqlQuery.Parse(text, allowPartial: true), now(), limits, cancellationToken)).Markup,
                "text/html; charset=utf-8"),
            cancellationToken);
    }

    /// <summary>Answers when those who asked before have been answered.</summary>
    /// <param name="ask">Asks within <see cref="Limits"/>.</param>
    public async Task<IResult> AnswerAsync(Func<RunTelemetry, IResult> ask, CancellationToken cancellationToken)
    {
        using var turn = await _one.AcquireAsync(1, cancellationToken);
        try
        {
            return ask(telemetry());
        }
        catch (KqlException exception)
        {
            return Results.Json(
                new Mistake(exception.Line, exception.Column, exception.Reason, exception.Hint),
                statusCode: StatusCodes.Status400BadRequest);
        }
    }

    public void Dispose() => _one.Dispose();
}
