using System.Diagnostics;
using System.Text.RegularExpressions;

namespace DroneDelivery.ServiceBusSdk.Tests;

/// <summary>
/// The tool and the library for a user without a checkout: packed, installed from a folder, and used with the SDK.
/// </summary>
[Trait("tier", "slow")]
public sealed partial class PackagesTests : IDisposable
{
    private const string Version = "0.0.1-packed";

    private readonly string _folder = Directory.CreateTempSubdirectory("packages-").FullName;

    public PackagesTests() => Bus.SkipUnlessLocal();

    private static CancellationToken Cancelled => TestContext.Current.CancellationToken;

    // The configuration of this build.
    private static string Configuration =>
        Path.GetFileName(Path.TrimEndingDirectorySeparator(AppContext.BaseDirectory));

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task Tool_installs_from_a_folder_and_serves_the_SDK()
    {
        await PackAsync("ServiceBus");
        var tools = Path.Combine(_folder, "tools");
        await DotnetAsync(
            "tool",
            "install",
            "servicebus-local",
            "--tool-path",
            tools,
            "--version",
            Version,
            "--source",
            _folder
        );
        var config = Path.Combine(_folder, "Config.json");
        await File.WriteAllTextAsync(
            config,
            """{ "UserConfig": { "Namespaces": [ { "Queues": [ { "Name": "orders" } ] } ] } }""",
            Cancelled
        );

        await AssertServesAsync(Path.Combine(tools, "servicebus-local"), "--port", "0", "--config", config);
    }

    [Fact]
    public async Task Library_works_in_a_project_outside_the_repository()
    {
        await PackAsync("LocalServiceBus");
        var project = await WriteProjectAsync(
            """
            using DroneDelivery.LocalServiceBus;

            await using var bus = await LocalServiceBus.StartAsync("orders");
            Console.WriteLine(bus.ConnectionString);
            Console.ReadLine();
            """
        );
        await DotnetAsync("build", project, "-o", Path.Combine(_folder, "built"));

        await AssertServesAsync("dotnet", Path.Combine(_folder, "built", "Project.dll"));
    }

    [Fact]
    public async Task Samples_of_the_page_compile()
    {
        await PackAsync("LocalServiceBus");
        var project = await WriteProjectAsync(Samples());

        await DotnetAsync("build", project, "-o", Path.Combine(_folder, "built"));
    }

    private async Task<string> WriteProjectAsync(string program)
    {
        var project = Path.Combine(_folder, "Project.csproj");
        var client = typeof(ServiceBusClient).Assembly.GetName().Version!.ToString(3);
        await File.WriteAllTextAsync(
            project,
            $"""
            <Project Sdk="Microsoft.NET.Sdk">
              <PropertyGroup>
                <OutputType>Exe</OutputType><TargetFramework>net10.0</TargetFramework><ImplicitUsings>enable</ImplicitUsings>
                <RestoreSources>{_folder}</RestoreSources><RestorePackagesPath>{_folder}/restored</RestorePackagesPath>
                <RestoreFallbackFolders>{Restored()}</RestoreFallbackFolders>
              </PropertyGroup>
              <ItemGroup>
                <PackageReference Include="LocalServiceBus" Version="{Version}" />
                <PackageReference Include="Azure.Messaging.ServiceBus" Version="{client}" />
              </ItemGroup>
            </Project>
            """,
            Cancelled
        );
        await File.WriteAllTextAsync(Path.Combine(_folder, "Program.cs"), program, Cancelled);
        return project;
    }

    private static string Samples()
    {
        var page = File.ReadAllText(Path.Combine(Repository.Root, "local", "ServiceBus", "README.md"));
        var samples = Sample()
            .Matches(page.Split("## With Aspire")[0])
            .Select(sample => sample.Groups["code"].Value.Split('\n'))
            .ToList();

        Assert.Equal(2, samples.Count);
        return string.Join(
            '\n',
            [
                .. samples.SelectMany(lines => lines.Where(IsDirective)),
                "var clock = TimeProvider.System;",
                .. samples.Select(lines => $"{{\n{string.Join('\n', lines.Where(line => !IsDirective(line)))}\n}}"),
            ]
        );
    }

    private static bool IsDirective(string line) => line.StartsWith("using ", StringComparison.Ordinal);

    private Task PackAsync(string project) =>
        DotnetAsync(
            "pack",
            Path.Combine(Repository.Root, "local", project),
            "--no-build",
            "-c",
            Configuration,
            "-o",
            _folder,
            $"-p:PackageVersion={Version}"
        );

    private static async Task AssertServesAsync(string program, params string[] arguments)
    {
        using var process = Start(program, arguments);
        try
        {
            if (await process.StandardOutput.ReadLineAsync(Cancelled) is not { } line)
                throw new InvalidOperationException(await process.StandardError.ReadToEndAsync(Cancelled));
            await using var client = new ServiceBusClient(ConnectionString().Match(line).Value);
            await client.CreateSender("orders").SendMessageAsync(new ServiceBusMessage("one"), Cancelled);
            var receiver = client.CreateReceiver("orders");
            var message = await receiver.ReceiveMessageAsync(TimeSpan.FromSeconds(60), Cancelled);

            Assert.Equal("one", message.Body.ToString());
            await receiver.CompleteMessageAsync(message, Cancelled);
        }
        finally
        {
            process.Kill(entireProcessTree: true);
            await process.WaitForExitAsync(Cancelled);
        }
    }

    private static async Task DotnetAsync(params string[] arguments)
    {
        using var process = Start("dotnet", arguments);
        var error = process.StandardError.ReadToEndAsync(Cancelled);
        var output = await process.StandardOutput.ReadToEndAsync(Cancelled);
        await process.WaitForExitAsync(Cancelled);
        Assert.True(process.ExitCode == 0, $"dotnet {string.Join(' ', arguments)}:\n{output}{await error}");
    }

    // The project is not part of this repository. No build server may outlive the test.
    private static Process Start(string program, params string[] arguments)
    {
        var start = new ProcessStartInfo(program, arguments)
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            Environment = { ["MSBUILDDISABLENODEREUSE"] = "1", ["UseSharedCompilation"] = "false" },
        };
        return Process.Start(start) ?? throw new InvalidOperationException($"{program} did not start.");
    }

    /// <summary>The folder with the packages that were restored for this solution.</summary>
    private static string Restored() =>
        Environment.GetEnvironmentVariable("NUGET_PACKAGES")
        ?? Path.Combine(Environment.GetFolderPath(Environment.SpecialFolder.UserProfile), ".nuget", "packages");

    [GeneratedRegex("```csharp\n(?<code>.*?)```", RegexOptions.Singleline)]
    private static partial Regex Sample();

    [GeneratedRegex("Endpoint=.*")]
    private static partial Regex ConnectionString();
}
