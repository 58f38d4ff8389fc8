using System.Net.Http.Headers;

namespace DroneDelivery.Lab.Tests.Documents;

/// <summary>The files of docs/how-to/http, played from top to bottom: every answer is the one that the file announces.</summary>
public sealed class HttpFilesTests
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    [Fact]
    public async Task They_play_from_top_to_bottom()
    {
        await using var application = await RunningApplication.StartAsync("none");
        foreach (
            var file in Directory
                .EnumerateFiles(Path.Combine(Repository.Root, "docs", "how-to", "http"), "*.http")
                .Order()
        )
        {
            foreach (
                var request in HttpFile.Read(await File.ReadAllTextAsync(file, Cancel), value =>
                    Moved(value, application.Plan)
                )
            )
            {
                await PlayAsync(application.Http, request);
            }
        }
    }

    private static async Task PlayAsync(HttpClient http, HttpFileRequest request)
    {
        for (var watch = Stopwatch.StartNew(); ; await Task.Delay(50, Cancel))
        {
            using var response = await SendAsync(http, request);
            var body = await response.Content.ReadAsStringAsync(Cancel);
            // Whoever is asked for its health waits 2 s for what it needs, and a busy machine may take longer.
            var isBusy =
                request.Url.AbsolutePath == "/health/ready" && response.StatusCode == HttpStatusCode.ServiceUnavailable;
            if ((isBusy || (int)response.StatusCode == request.Until) && watch.Elapsed < Patience)
                continue;
            Assert.True(
                (int)response.StatusCode == request.Answer,
                $"{request.Name}: {(int)response.StatusCode} instead of {request.Answer}. {body}"
            );
            if (request.Stage is { } stage)
                Assert.Equal(stage, JsonDocument.Parse(body).RootElement.GetProperty("stage").GetString());
            return;
        }
    }

    private static async Task<HttpResponseMessage> SendAsync(HttpClient http, HttpFileRequest request)
    {
        using var message = new HttpRequestMessage(request.Method, request.Url);
        if (request.Body.Length > 0)
        {
            message.Content = new StringContent(request.Body, Encoding.UTF8);
            message.Content.Headers.ContentType = request.ContentType is { } type
                ? MediaTypeHeaderValue.Parse(type)
                : null;
        }
        return await http.SendAsync(message, Cancel);
    }

    private static string Moved(string value, ApplicationPlan plan) =>
        Service.All.FirstOrDefault(service => value == $"http://localhost:{new Ports(0).Of(service, 0)}") is { } its
            ? plan.Url(its, 0).ToString().TrimEnd('/')
            : value;
}
