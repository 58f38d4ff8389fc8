using System.Security.Cryptography;
using System.Threading.RateLimiting;
using DroneDelivery.Lab.Stages;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace DroneDelivery.Lab.Report;

/// <summary>What cannot be, in a sentence.</summary>
internal sealed record Refusal(string Error);

/// <summary>The page with the sliders at <c>/what-if</c>, its answers, and the run that it starts.</summary>
internal static class WhatIfEndpoints
{
    /// <summary>Questions that wait, those of all pages together. One is simulated at a time.</summary>
    private const int MostWaiting = 32;

    private const string Measuring =
        "A stage is played here, and a simulation would take the CPU that it is measured with. "
        + "`./lab plan --open` serves this page by itself.";

    /// <param name="k">What durations and stocks are divided by.</param>
    /// <param name="play">The run that the page may start; null: it may not.</param>
    /// <param name="isMeasuring">Whether this process measures something just now, which a simulation would take the CPU of.</param>
    public static void MapWhatIf(this WebApplication app, double k, PlayedRun? play, Func<bool>? isMeasuring = null)
    {
        var token = RandomNumberGenerator.GetHexString(32);
        var turns = new ConcurrencyLimiter(new() { PermitLimit = 1, QueueLimit = MostWaiting });
        app.Services.GetRequiredService<IHostApplicationLifetime>().ApplicationStopped.Register(turns.Dispose);
        var page = app.MapGroup("/what-if")
            .AddEndpointFilter(OtherSites.Refuse)
            .AddEndpointFilter(OtherSites.NobodysFrame)
            .AddEndpointFilter(RefuseBadInput);
        page.MapGet("", () =>
            Results.Content(WhatIfPage.Render(token, k, play?.LivePage).Markup, "text/html; charset=utf-8")
        );
        page.MapGet("/answer", (HttpRequest request, CancellationToken left) =>
            isMeasuring?.Invoke() == true
                ? Task.FromResult(Refused(Measuring, StatusCodes.Status409Conflict))
                : AnswerAsync(request, turns, k, left)
        );
        page.MapGet("/run", async (CancellationToken left) =>
            play is not null && await play.StateAsync(left) is { } state ? Results.Json(state) : Results.NoContent()
        );
        page.MapPost("/play", (HttpRequest request, CancellationToken left) =>
            PlayAsync(request, token, k, play, left)
        );
    }

    private static async Task<IResult> AnswerAsync(
        HttpRequest request,
        ConcurrencyLimiter turns,
        double k,
        CancellationToken cancellationToken
    )
    {
        var setting = WhatIfSetting.Read(request.Query, k);
        using var turn = await turns.AcquireAsync(1, cancellationToken);
        return turn.IsAcquired
            ? Results.Json(WhatIfAnswer.Of(setting, cancellationToken))
            : Refused(
                $"Too many pending queries ({MostWaiting}). Try again shortly.",
                StatusCodes.Status503ServiceUnavailable
            );
    }

    private static async Task<IResult> PlayAsync(
        HttpRequest request,
        string token,
        double k,
        PlayedRun? play,
        CancellationToken cancellationToken
    )
    {
        if (!OtherSites.Knows(request, "X-Token", token))
        {
            return Refused(
                "Only a page of this server may start a run. Load the page again.",
                StatusCodes.Status403Forbidden
            );
        }

        var setting = WhatIfSetting.Read(request.Query, k);
        var whyNot = play is null
            ? "This page belongs to a lab that is running. Type the command when it has ended."
            : await play.StartAsync(setting.Arguments, cancellationToken);
        return whyNot is null
            ? Results.Json(new PlayedState(true, null, ""), statusCode: StatusCodes.Status202Accepted)
            : Refused(whyNot, StatusCodes.Status409Conflict);
    }

    private static async ValueTask<object?> RefuseBadInput(
        EndpointFilterInvocationContext context,
        EndpointFilterDelegate next
    )
    {
        try
        {
            return await next(context);
        }
        catch (BadInputException exception)
        {
            return Refused(exception.Message);
        }
    }

    private static IResult Refused(string why, int statusCode = StatusCodes.Status400BadRequest) =>
        Results.Json(new Refusal(why), statusCode: statusCode);
}

/// <summary>A server on the loopback with the page and nothing else.</summary>
internal static class WhatIfServer
{
    /// <param name="ports">Of a run that the page starts.</param>
    public static Task<ServedPage> StartAsync(int port, double k, Ports ports, CancellationToken cancellationToken)
    {
        var played = new PlayedRun(Path.Combine(Repository.Artifacts, "what-if"), ports);
        return ServedPage.StartAsync(port, mostBytes: 0, "/what-if", Map, played, cancellationToken);

        void Map(WebApplication host)
        {
            host.MapGet("/", () => Results.Redirect("/what-if"));
            host.MapWhatIf(k, played);
        }
    }
}
