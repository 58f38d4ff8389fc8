using System.Net.Mime;
using System.Text.Json;
using DroneDelivery.Contracts;
using Microsoft.AspNetCore.Mvc;

namespace DroneDelivery.Workflow.Calls;

/// <summary>What an answer of another service, after all retries, means for the message at hand.</summary>
internal static class Answer
{
    private const int LongestExcerpt = 1_000;

    /// <exception cref="PermanentFailureException">
    /// The service refuses the request itself: with a problem, and any 4xx but 401, 403, 408 and 429.
    /// </exception>
    /// <exception cref="HttpRequestException">The service cannot answer now, or something else answers in its place.</exception>
    public static Task<T> ReadAsync<T>(
        this HttpClient http, HttpMethod method, string path, object? body, CancellationToken cancellationToken) =>
        SendAsync(
            http, method, path, body, answer => answer.ReadFromJsonAsync<T>(ContractJson.Options, cancellationToken), cancellationToken);

    /// <inheritdoc cref="ReadAsync"/>
    public static Task RequireSuccessAsync(
        this HttpClient http, HttpMethod method, string path, object? body, CancellationToken cancellationToken) =>
        SendAsync(http, method, path, body, static _ => Task.FromResult<string?>(""), cancellationToken);

    private static async Task<T> SendAsync<T>(
        HttpClient http,
        HttpMethod method,
        string path,
        object? body,
        Func<HttpContent, Task<T?>> read,
        CancellationToken cancellationToken)
    {
        using var request = new HttpRequestMessage(method, new Uri(path, UriKind.Relative));
        if (body is not null)
            request.Content = JsonContent.Create(body, body.GetType(), options: ContractJson.Options);
        using var response = await http.SendAsync(request, cancellationToken);
        try
        {
            return response.IsSuccessStatusCode
                ? await read(response.Content) ?? throw new JsonException("The body is null.")
                : throw await FailureAsync(response, cancellationToken);
        }
        catch (JsonException unreadable)
        {
            throw new HttpRequestException($"{Describe(response)} with an unreadable body: {unreadable.Message}", unreadable);
        }
    }

    private static async Task<Exception> FailureAsync(HttpResponseMessage response, CancellationToken cancellationToken)
    {
        var body = await response.Content.ReadAsStringAsync(cancellationToken);
        var what = $"{Describe(response)}: {body[..Math.Min(body.Length, LongestExcerpt)]}";
        if ((int)response.StatusCode is < 400 or >= 500 or 401 or 403 or 408 or 429) // 401 and 403: Workflow is set up wrong
            return new HttpRequestException(what, inner: null, response.StatusCode);
        // A proxy, or a server at a wrong address, knows nothing of the request.
        return response.Content.Headers.ContentType?.MediaType == MediaTypeNames.Application.ProblemJson
            ? new PermanentFailureException("RequestRefused", what) { Problem = JsonSerializer.Deserialize<ProblemDetails>(body) }
            : new HttpRequestException($"{what} (no problem details)");
    }

    private static string Describe(HttpResponseMessage response) =>
        $"{response.RequestMessage?.Method} {response.RequestMessage?.RequestUri?.GetLeftPart(UriPartial.Path)} "
            + $"answered {(int)response.StatusCode}";
}

/// <summary>The message can never be handled, however often it is tried.</summary>
/// <param name="reason">One word, for the dead-letter queue.</param>
/// <param name="description">What was wrong with it, and which service said so.</param>
internal sealed class PermanentFailureException(string reason, string description) : Exception(description)
{
    public string Reason { get; } = reason;

    /// <summary>With which a service has refused it.</summary>
    public ProblemDetails? Problem { get; init; }
}
