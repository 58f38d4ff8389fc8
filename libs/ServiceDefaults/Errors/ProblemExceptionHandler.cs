using System.Diagnostics;
using System.Globalization;
using System.Text.Json;
using System.Text.RegularExpressions;
using Microsoft.AspNetCore.Diagnostics;
using Microsoft.AspNetCore.Mvc;

namespace DroneDelivery.ServiceDefaults.Errors;

/// <summary>Converts exceptions caused by clients or dependencies to problems. The framework logs all others.</summary>
internal sealed partial class ProblemExceptionHandler : IExceptionHandler
{
    public static void Add(IServiceCollection services)
    {
        services.AddProblemDetails();
        services.AddSingleton<IProblemDetailsWriter, FallbackProblemWriter>();
        services.AddExceptionHandler<ProblemExceptionHandler>();
        // Otherwise, an invalid body returns 400 without the field's name outside Development.
        services.Configure<RouteHandlerOptions>(routes => routes.ThrowOnBadRequest = true);
    }

    public async ValueTask<bool> TryHandleAsync(
        HttpContext httpContext,
        Exception exception,
        CancellationToken cancellationToken
    )
    {
        if (ProblemOf(exception) is not { } problem)
            return false;

        if (exception is DependencyUnavailableException { RetryAfter: var wait })
        {
            // Only telemetry contains the cause.
            Activity.Current?.AddException(exception.GetBaseException());
            httpContext.Response.Headers.RetryAfter = Math.Max(1, Math.Ceiling(wait.TotalSeconds))
                .ToString(CultureInfo.InvariantCulture);
        }

        await TypedResults.Problem(problem).ExecuteAsync(httpContext);
        return true;
    }

    private static ProblemDetails? ProblemOf(Exception exception) =>
        exception switch
        {
            DependencyUnavailableException unavailable => new ProblemDetails
            {
                Status = StatusCodes.Status503ServiceUnavailable,
                Type = unavailable.ProblemType,
                Title = unavailable.Title,
                Detail = unavailable.Detail,
                Extensions = unavailable.Extensions,
            },
            BadHttpRequestException { InnerException: JsonException json } => Invalid(JsonErrors.From(json)),
            BadHttpRequestException bad when bad.Message.Contains("no body was provided", StringComparison.Ordinal) =>
                Invalid(new Dictionary<string, string[]> { ["$"] = ["A JSON body is required."] }),
            // Only the exception's message contains the parameter's name.
            BadHttpRequestException bad when Parameter().Match(bad.Message) is { Success: true } parameter => Invalid(
                new Dictionary<string, string[]> { [parameter.Groups["name"].Value] = [bad.Message] }
            ),
            BadHttpRequestException bad => new ProblemDetails { Status = bad.StatusCode, Detail = bad.Message },
            _ => null,
        };

    private static HttpValidationProblemDetails Invalid(IDictionary<string, string[]> errors) =>
        new(errors) { Status = StatusCodes.Status400BadRequest };

    [GeneratedRegex("parameter \"\\S+ (?<name>\\w+)\"")]
    private static partial Regex Parameter();
}
