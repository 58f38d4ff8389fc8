using System.Net.Mime;
using System.Text.Json;
using DroneDelivery.Contracts;
using Microsoft.AspNetCore.Mvc;

namespace DroneDelivery.Workflow.Calls;

/// <summary>Interprets responses of other services, after all retries.</summary>
internal static class ServiceResponse
{
    private const int MaxExcerptLength = 1_000;

    /// <exception cref="PermanentFailureException">
    /// The service returned a problem and a 4xx status except 401, 403, 408, and 429.
    /// </exception>
    /// <exception cref="HttpRequestException">The service is unavailable, or another server responded.</exception>
    public static async Task<T> ReadAsync<T>(
        this HttpClient http,
        HttpMethod method,
        string path,
        object? body,
        CancellationToken cancellationToken
    )
    {
        var (what, json) = await http.RequireSuccessAsync(method, path, body, cancellationToken);
        return Parse<T>(what, json);
    }

    /// <inheritdoc cref="ReadAsync"/>
    public static async Task<(string What, string Body)> RequireSuccessAsync(
        this HttpClient http,
        HttpMethod method,
        string path,
        object? body,
        CancellationToken cancellationToken
    )
    {
        using var request = new HttpRequestMessage(method, new Uri(path, UriKind.Relative));
        if (body is not null)
            request.Content = JsonContent.Create(body, body.GetType(), options: ContractJson.Options);
        using var response = await http.SendAsync(request, cancellationToken);
        var content = await response.Content.ReadAsStringAsync(cancellationToken);
        var what = $"{method} {request.RequestUri?.GetLeftPart(UriPartial.Path)} returned {(int)response.StatusCode}";
        return response.IsSuccessStatusCode ? (what, content) : throw FailureOf(response, what, content);
    }

    private static Exception FailureOf(HttpResponseMessage response, string what, string body)
    {
        var why = $"{what}: {body[..Math.Min(body.Length, MaxExcerptLength)]}";
        if ((int)response.StatusCode is < 400 or >= 500 or 401 or 403 or 408 or 429) // 401 and 403: Workflow is misconfigured
            return new HttpRequestException(why, inner: null, response.StatusCode);
        // Without problem details, the response is from a proxy or another server.
        return response.Content.Headers.ContentType?.MediaType == MediaTypeNames.Application.ProblemJson
            ? new PermanentFailureException("RequestRefused", why) { Problem = Parse<ProblemDetails>(what, body) }
            : new HttpRequestException($"{why} (no problem details)");
    }

    private static T Parse<T>(string what, string json)
    {
        try
        {
            return JsonSerializer.Deserialize<T>(json, ContractJson.Options)
                ?? throw new JsonException("The body is null.");
        }
        catch (JsonException unreadable)
        {
            throw new HttpRequestException($"{what} with an unreadable body: {unreadable.Message}", unreadable);
        }
    }
}
