using System.Net;
using DroneDelivery.Contracts;

namespace DroneDelivery.Workflow.Calls;

/// <summary>What an answer of another service, after all retries, means for the message at hand.</summary>
internal static class Answer
{
    private const int LongestExcerpt = 1_000;

    /// <exception cref="PermanentFailureException">The service refuses the request itself: any 4xx but 408 and 429.</exception>
    /// <exception cref="HttpRequestException">The service cannot answer now.</exception>
    public static async Task<T> ReadAsync<T>(HttpResponseMessage response, CancellationToken cancellationToken)
    {
        await RequireSuccessAsync(response, cancellationToken);
        return await response.Content.ReadFromJsonAsync<T>(ContractJson.Options, cancellationToken)
            ?? throw new HttpRequestException($"{Describe(response)} without a body.");
    }

    /// <inheritdoc cref="ReadAsync"/>
    public static async Task RequireSuccessAsync(HttpResponseMessage response, CancellationToken cancellationToken)
    {
        if (response.IsSuccessStatusCode)
            return;
        var problem = await response.Content.ReadAsStringAsync(cancellationToken);
        var what = $"{Describe(response)}: {problem[..Math.Min(problem.Length, LongestExcerpt)]}";
        throw IsPermanent(response.StatusCode)
            ? new PermanentFailureException("RequestRefused", what, Refusal.FindIn(problem)?.Type)
            : new HttpRequestException(what, inner: null, response.StatusCode);
    }

    /// <exception cref="NotRecordedYetException">404.</exception>
    public static void RequireRecorded(HttpResponseMessage response, string deliveryId)
    {
        if (response.StatusCode == HttpStatusCode.NotFound)
            throw new NotRecordedYetException($"{Describe(response)}: delivery '{deliveryId}' is not recorded yet.");
    }

    private static bool IsPermanent(HttpStatusCode status) =>
        (int)status is >= 400 and < 500 && status is not (HttpStatusCode.RequestTimeout or HttpStatusCode.TooManyRequests);

    private static string Describe(HttpResponseMessage response) =>
        $"{response.RequestMessage?.Method} {response.RequestMessage?.RequestUri?.GetLeftPart(UriPartial.Path)} "
            + $"answered {(int)response.StatusCode}";
}
