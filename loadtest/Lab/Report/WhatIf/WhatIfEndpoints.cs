using System.Globalization;
using System.Security.Cryptography;
using System.Text;
using DroneDelivery.Lab.Predict;
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
    private const string Token = "X-Token", Page = "X-Page", Turn = "X-Turn";
    private const int LongestPage = 64;

    private const string Measuring =
        "A stage is played here, and a simulation would take the CPU that it is measured with. "
        + "`./lab plan --open` serves this page by itself.";

    /// <param name="app">Its server.</param>
    /// <param name="k">What durations and stocks are divided by.</param>
    /// <param name="prices">What parts of the application cost. Read for each answer, so that an edited file counts at once.</param>
    /// <param name="play">The run that the page may start; null: it may not.</param>
    /// <param name="isMeasuring">Whether this process measures something just now, which a simulation would take the CPU of.</param>
    public static void MapWhatIf(
        this WebApplication app, double k, Func<PriceFile> prices, PlayedRun? play, Func<bool>? isMeasuring = null)
    {
        var token = RandomNumberGenerator.GetHexString(32);
        var turns = new Turns();
        app.Services.GetRequiredService<IHostApplicationLifetime>().ApplicationStopped.Register(turns.Dispose);
        var page = app.MapGroup("/what-if").AddEndpointFilter(OtherSites.Refuse).AddEndpointFilter(OtherSites.NobodysFrame);
        page.MapGet("", () => Results.Content(WhatIfPage.Render(token, k, play?.LivePage).Markup, "text/html; charset=utf-8"));
        page.MapGet("/answer", (HttpRequest request, CancellationToken left) => isMeasuring?.Invoke() == true
            ? Task.FromResult(Refused(Measuring, StatusCodes.Status409Conflict))
            : AnswerAsync(request, turns, k, prices, left));
        page.MapGet("/run", async (CancellationToken left) =>
            play is not null && await play.StateAsync(left) is { } state ? Results.Json(state) : Results.NoContent());
        page.MapPost("/play", (HttpRequest request, CancellationToken left) => PlayAsync(request, token, k, play, left));
    }

    private static async Task<IResult> AnswerAsync(
        HttpRequest request, Turns turns, double k, Func<PriceFile> prices, CancellationToken cancellationToken)
    {
        var page = request.Headers[Page].ToString();
        if (page.Length > LongestPage)
            return Refused($"{Page} has at most {LongestPage} characters.");
        try
        {
            var setting = WhatIfSetting.Read(request.Query, k);
            // Who does not count asks once.
            _ = long.TryParse(request.Headers[Turn].ToString(), CultureInfo.InvariantCulture, out var turn);
            var answer = await turns.TakeAsync(
                page, turn, () => WhatIfAnswer.Of(setting, prices(), cancellationToken), cancellationToken);
            return answer is null ? Results.NoContent() : Results.Json(answer);
        }
        catch (CrowdedException exception)
        {
            return Refused(exception.Message, StatusCodes.Status503ServiceUnavailable);
        }
        catch (BadInputException exception)
        {
            return Refused(exception.Message);
        }
    }

    private static async Task<IResult> PlayAsync(
        HttpRequest request, string token, double k, PlayedRun? play, CancellationToken cancellationToken)
    {
        if (!CryptographicOperations.FixedTimeEquals(
            Encoding.UTF8.GetBytes(request.Headers[Token].ToString()), Encoding.UTF8.GetBytes(token)))
        {
            return Refused("Only a page of this server may start a run. Load the page again.", StatusCodes.Status403Forbidden);
        }

        try
        {
            var setting = WhatIfSetting.Read(request.Query, k);
            var whyNot = play is null
                ? "This page belongs to a lab that is running. Type the command when it has ended."
                : await play.StartAsync(setting.Arguments, cancellationToken);
            return whyNot is null
                ? Results.Json(new PlayedState(true, null, ""), statusCode: StatusCodes.Status202Accepted)
                : Refused(whyNot, StatusCodes.Status409Conflict);
        }
        catch (BadInputException exception)
        {
            return Refused(exception.Message);
        }
    }

    private static IResult Refused(string why, int statusCode = StatusCodes.Status400BadRequest) =>
        Results.Json(new Refusal(why), statusCode: statusCode);
}
