using System.Globalization;
using System.Text.Json;
using Microsoft.AspNetCore.Diagnostics;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Mvc;

namespace DroneDelivery.ServiceDefaults.Errors;

/// <summary>Turns the exceptions that are somebody else's fault into answers. All others stay 500 and are logged by
/// the framework.</summary>
internal sealed class ProblemExceptionHandler(IProblemDetailsService problems) : IExceptionHandler
{
    public async ValueTask<bool> TryHandleAsync(HttpContext httpContext, Exception exception, CancellationToken cancellationToken)
    {
        if (ProblemOf(exception) is not { } problem)
            return false;

        httpContext.Response.StatusCode = problem.Status!.Value;
        if (exception is DependencyUnavailableException { RetryAfter: var wait })
            httpContext.Response.Headers.RetryAfter = Math.Max(1, Math.Ceiling(wait.TotalSeconds)).ToString(CultureInfo.InvariantCulture);

        return await problems.TryWriteAsync(new() { HttpContext = httpContext, ProblemDetails = problem, Exception = exception });
    }

    private static ProblemDetails? ProblemOf(Exception exception) => exception switch
    {
        DependencyUnavailableException away => new ProblemDetails
        {
            Status = StatusCodes.Status503ServiceUnavailable,
            Type = away.ProblemType,
            Title = away.Title,
            Detail = away.Detail,
            Extensions = away.Extensions,
        },
        BadHttpRequestException { InnerException: JsonException json } => Invalid(JsonErrors.Of(json)),
        BadHttpRequestException bad when ParameterErrors.Of(bad) is { } errors => Invalid(errors),
        BadHttpRequestException bad => new ProblemDetails { Status = bad.StatusCode, Detail = bad.Message },
        _ => null,
    };

    private static HttpValidationProblemDetails Invalid(IDictionary<string, string[]> errors) =>
        new(errors) { Status = StatusCodes.Status400BadRequest };
}
