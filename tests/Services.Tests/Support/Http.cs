using System.Net;
using System.Net.Http.Json;
using System.Text;
using System.Text.Json;
using DroneDelivery.Contracts;

namespace DroneDelivery.Services.Tests.Support;

internal static class Http
{
    public static Task<HttpResponseMessage> SendAsync(
        this HttpClient http,
        HttpMethod method,
        string path,
        string? json = null,
        string mediaType = "application/json"
    ) =>
        http.SendAsync(
            new HttpRequestMessage(method, path)
            {
                Content = json is null ? null : new StringContent(json, Encoding.UTF8, mediaType),
            },
            Cancelled
        );

    /// <summary>Sends headers unchanged, without the normalization of client libraries.</summary>
    public static Task<HttpResponseMessage> SendAsync(
        this HttpClient http,
        HttpMethod method,
        string path,
        HttpContent? body,
        params IEnumerable<(string Name, string Value)> headers
    )
    {
        var request = new HttpRequestMessage(method, path) { Content = body };
        foreach (var (name, value) in headers)
            request.Headers.TryAddWithoutValidation(name, value);
        return http.SendAsync(request, Cancelled);
    }

    public static Task<HttpResponseMessage> PutAsync<T>(this HttpClient http, string path, T body) =>
        http.PutAsJsonAsync(path, body, ContractJson.Options, Cancelled);

    public static Task<HttpResponseMessage> PatchAsync<T>(this HttpClient http, string path, T body) =>
        http.PatchAsJsonAsync(path, body, ContractJson.Options, Cancelled);

    public static Task<HttpResponseMessage> PostAsync<T>(this HttpClient http, string path, T body) =>
        http.PostAsJsonAsync(path, body, ContractJson.Options, Cancelled);

    public static async Task<T> ReadAsync<T>(
        this HttpResponseMessage response,
        HttpStatusCode expected = HttpStatusCode.OK
    )
    {
        var body = await response.Content.ReadAsStringAsync(Cancelled);
        Assert.True(expected == response.StatusCode, $"{(int)response.StatusCode} instead of {(int)expected}: {body}");
        return JsonSerializer.Deserialize<T>(body, ContractJson.Options)!;
    }

    public static async Task<T> GetAsync<T>(this HttpClient http, string path)
    {
        using var response = await http.SendAsync(HttpMethod.Get, path);
        return await response.ReadAsync<T>();
    }

    public static async Task<HttpStatusCode> StatusAsync(this HttpClient http, string path)
    {
        using var response = await http.SendAsync(HttpMethod.Get, path);
        return response.StatusCode;
    }

    /// <summary>
    /// Polls <c>/health/ready</c> until it returns 200: each response has its own timeout, which a busy machine may
    /// exceed.
    /// </summary>
    public static Task ReadyAsync(this HttpClient http) =>
        Eventually.TrueAsync(async () => await http.StatusAsync("/health/ready") == HttpStatusCode.OK);

    public static Task HealthyAsync(this HttpClient http, string check) =>
        Eventually.TrueAsync(async () => (await http.CheckAsync(check)).Status == "Healthy");

    public static async Task<(string Status, string? Description)> CheckAsync(this HttpClient http, string name)
    {
        using var response = await http.SendAsync(HttpMethod.Get, "/health/ready");
        var report = await response.ReadAsync<JsonElement>(response.StatusCode);
        var check = report.GetProperty("checks").GetProperty(name);
        var description = check.TryGetProperty("description", out var text) ? text.GetString() : null;
        return (check.GetProperty("status").GetString()!, description);
    }

    public static async Task<JsonElement> ReadProblemAsync(this HttpResponseMessage response, HttpStatusCode expected)
    {
        var problem = await response.ReadAsync<JsonElement>(expected);
        Assert.Equal("application/problem+json", response.Content.Headers.ContentType?.MediaType);
        Assert.Equal((int)expected, problem.GetProperty("status").GetInt32());
        return problem;
    }

    public static async Task<string?> ReadProblemTypeAsync(
        this HttpResponseMessage response,
        HttpStatusCode expected
    ) => (await response.ReadProblemAsync(expected)).GetProperty("type").GetString();

    public static async Task<JsonElement> ReadUnavailableAsync(this HttpResponseMessage response, string type)
    {
        var problem = await response.ReadProblemAsync(HttpStatusCode.ServiceUnavailable);
        Assert.Equal($"urn:drone-delivery:{type}", problem.GetProperty("type").GetString());
        Assert.NotNull(response.Headers.RetryAfter);
        return problem;
    }

    public static async Task<IEnumerable<string>> ReadInvalidFieldsAsync(this HttpResponseMessage response)
    {
        var problem = await response.ReadProblemAsync(HttpStatusCode.BadRequest);
        return problem.GetProperty("errors").EnumerateObject().Select(error => error.Name);
    }
}
