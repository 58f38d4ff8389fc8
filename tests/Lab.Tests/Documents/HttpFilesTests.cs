using System.Net.Http.Headers;

namespace DroneDelivery.Lab.Tests.Documents;

/// <summary>The requests in docs/how-to/http, from top to bottom. Each response must match its comment.</summary>
[Collection<EmulatedApplication>]
public sealed class HttpFilesTests(EmulatedApplication shared)
{
    [Fact]
    public async Task Http_sample_files_run_end_to_end()
    {
        var application = await shared.WithAsync();
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
        var (status, body) = await UntilAsync(() => SendAsync(http, request), response => !IsEarly(response.Status));
        Assert.True(
            (int)status == request.Answer,
            $"{request.Name}: {(int)status} instead of {request.Answer}. {body}"
        );
        if (request.Stage is { } stage)
            Assert.Equal(stage, JsonDocument.Parse(body).RootElement.GetProperty("stage").GetString());

        // A health check waits 2 s for each dependency, which a busy machine may exceed.
        bool IsEarly(HttpStatusCode status)
        {
            var isBusy = request.Url.AbsolutePath == "/health/ready" && status == HttpStatusCode.ServiceUnavailable;
            return isBusy || (int)status == request.Until;
        }
    }

    private static async Task<(HttpStatusCode Status, string Body)> SendAsync(HttpClient http, HttpFileRequest request)
    {
        using var message = new HttpRequestMessage(request.Method, request.Url);
        if (request.Body.Length > 0)
        {
            message.Content = new StringContent(request.Body, Encoding.UTF8);
            message.Content.Headers.ContentType = request.ContentType is { } type
                ? MediaTypeHeaderValue.Parse(type)
                : null;
        }
        using var response = await http.SendAsync(message, Cancel);
        return (response.StatusCode, await response.Content.ReadAsStringAsync(Cancel));
    }

    private static string Moved(string value, ApplicationPlan plan) =>
        Service.All.FirstOrDefault(service => value == $"http://localhost:{new Ports(0).Of(service, 0)}") is { } its
            ? plan.Url(its, 0).ToString().TrimEnd('/')
            : value;
}
