using System.Text.Json;

namespace DroneDelivery.Workflow.Calls;

/// <summary>Why a service has refused a request: the type and the words of its problem details.</summary>
internal sealed record Refusal(string? Type, string? Detail)
{
    /// <summary>The id belongs to another request.</summary>
    public const string OtherRequest = "urn:drone-delivery:other-request";

    /// <summary>The request was undone.</summary>
    public const string Failed = "urn:drone-delivery:failed";

    /// <returns>Null: the service has not refused, or does not say why.</returns>
    public static async Task<Refusal?> OfAsync(HttpResponseMessage response, CancellationToken cancellationToken) =>
        response.IsSuccessStatusCode ? null : FindIn(await response.Content.ReadAsStringAsync(cancellationToken));

    /// <param name="text">Ends with problem details, as the exceptions of <see cref="Answer"/> do.</param>
    /// <returns>Null: there are none, or they were cut off.</returns>
    public static Refusal? FindIn(string text)
    {
        if (text.IndexOf('{', StringComparison.Ordinal) is not (>= 0 and var start))
            return null;
        try
        {
            using var problem = JsonDocument.Parse(text.AsMemory(start));
            return new(TextOf(problem, "type"), TextOf(problem, "detail") ?? TextOf(problem, "title"));
        }
        catch (JsonException)
        {
            return null;
        }
    }

    private static string? TextOf(JsonDocument problem, string member) =>
        problem.RootElement.TryGetProperty(member, out var value) && value.ValueKind == JsonValueKind.String ? value.GetString() : null;
}
