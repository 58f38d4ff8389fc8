namespace DroneDelivery.Lab.Tests.WhatIf;

public sealed class PlayedRunTests
{
    [Fact]
    public async Task The_page_plays_one_run_at_a_time_and_takes_it_along_when_it_ends()
    {
        await using var lab = new LabProcess();
        var (plan, line) = await lab.LaunchAsync(
            "plan",
            "2",
            "--open",
            "--port",
            "0",
            "--port-offset",
            $"{lab.PortOffset}",
            "--set",
            "workflow.maxConcurrentCalls=2"
        );
        var address = new Uri(Regex.Match(line, @"http://\S+").Value);
        using var http = new HttpClient
        {
            BaseAddress = new UriBuilder(address) { Host = "127.0.0.1", Query = "" }.Uri,
        };
        Assert.Equal("?stage=2&workflow.maxConcurrentCalls=2", address.Query);
        var token = Regex.Match(await http.GetStringAsync(address, Cancel), "\"token\":\"(\\w+)\"").Groups[1].Value;

        using var started = await PlayAsync(http, token);
        using var second = await PlayAsync(http, token);

        Assert.Equal((HttpStatusCode.Accepted, HttpStatusCode.Conflict), (started.StatusCode, second.StatusCode));
        Assert.Contains("being played", await second.Content.ReadAsStringAsync(Cancel), StringComparison.Ordinal);
        var file = Path.Combine(lab.Artifacts, "lab", "owner");
        await UntilAsync(() => File.Exists(file));
        var owner = JsonDocument
            .Parse(await File.ReadAllTextAsync(file, Cancel))
            .RootElement.GetProperty("ProcessId")
            .GetInt32();
        Assert.True(IsRunning(owner));
        Assert.True(
            (await http.GetFromJsonAsync<JsonElement>("/what-if/run", Cancel)).GetProperty("isRunning").GetBoolean()
        );

        plan.Kill();

        await UntilAsync(() => !IsRunning(owner));
    }

    private static async Task<HttpResponseMessage> PlayAsync(HttpClient http, string token)
    {
        using var request = new HttpRequestMessage(
            HttpMethod.Post,
            "/what-if/play?stage=2&workflow.maxConcurrentCalls=2"
        );
        request.Headers.Add("X-Token", token);
        return await http.SendAsync(request, Cancel);
    }
}
