namespace DroneDelivery.Lab.Tests.Commands;

public sealed class LabCommandTests
{
    [Theory]
    [InlineData(2, "Unknown option or argument: `--jsn`. `./lab run --help`", "run", "2", "--jsn")]
    [InlineData(2, "Unknown option or argument: `fly`", "fly")]
    [InlineData(2, "is not a stage", "run", "9")]
    [InlineData(
        2,
        "workflow.prefetchCont is not a knob. Did you mean workflow.prefetchCount?",
        "run",
        "2",
        "--set",
        "workflow.prefetchCont=1"
    )]
    [InlineData(2, "workflow.maxConcurrentCalls", "run", "2", "--set", "workflow.calls=1")]
    [InlineData(2, "Did you mean workflow.prefetchCount?", "run", "2", "--set", "prefetch=1")]
    [InlineData(2, "lists the knobs", "run", "2", "--set", "rabbits=1")]
    [InlineData(2, "workflow.replicas: expected KNOB=VALUE", "run", "2", "--set", "workflow.replicas")]
    [InlineData(
        2,
        "workflow.replicas=many: expected a whole number from 0 to 20",
        "run",
        "2",
        "--set",
        "workflow.replicas=many"
    )]
    [InlineData(
        2,
        "queue.lockDuration=6m: expected seconds (or 500ms, 5m) from 1s to 300s",
        "run",
        "2",
        "--set",
        "queue.lockDuration=6m"
    )]
    [InlineData(2, "expected on or off", "run", "2", "--set", "workflow.holdDuringOutage=sometimes")]
    [InlineData(
        2,
        "http.retryDelays=1,soon: expected comma-separated seconds",
        "run",
        "2",
        "--set",
        "http.retryDelays=1,soon"
    )]
    [InlineData(2, "expected bytes (or 512kb, 2mb)", "run", "2", "--set", "redis.maxMemory=2 parsecs")]
    [InlineData(
        2,
        "workflow.prefetchCount=5 is less than workflow.maxConcurrentCalls=20: handlers would wait for messages. "
            + "Set the prefetch to 0 or to at least 20.",
        "run",
        "4",
        "--full",
        "--set",
        "workflow.prefetchCount=5"
    )]
    [InlineData(
        2,
        "workflow.prefetchCount=100, shortened by k = 8 to 12, is less than workflow.maxConcurrentCalls=20: handlers would wait for "
            + "messages. Set the prefetch to 0 or to at least 160.",
        "run",
        "4",
        "--set",
        "workflow.prefetchCount=100"
    )]
    [InlineData(
        2,
        "redis.deliveriesThatFit=1400 counts deliveries with 17000 characters of instructions, but load.instructions=1000 changes their "
            + "size. Set load.instructions=17000, or redis.deliveriesThatFit=0 and the limit in bytes: redis.maxMemory.",
        "run",
        "1",
        "--set",
        "load.instructions=1000"
    )]
    [InlineData(2, "workflow.replicas=99: expected", "up", "--replicas", "workflow=99")]
    [InlineData(2, "gatwy is not a service for --with. Did you mean gateway?", "up", "--with", "gatwy")]
    [InlineData(2, "delivery is not a service for --with. There are: gateway.", "up", "--with", "delivery")]
    [InlineData(2, "--with lists gateway twice", "up", "--with", "gateway", "--with", "gateway")]
    [InlineData(2, "package is not a service to send through. There are: gateway.", "send", "--through", "package")]
    [InlineData(2, "mars is not one of the environments: azure-2020", "up", "--environment", "mars")]
    [InlineData(2, "expected a whole number from 1 to 16", "run", "2", "--k", "99")]
    [InlineData(2, "--predict many: expected a number", "run", "2", "--predict", "many")]
    [InlineData(2, "backlog is not a figure", "run", "2", "--predict", "backlog=7")]
    [InlineData(2, "Specify --target", "replay")]
    [InlineData(2, "localhost:5100 is not an address", "run", "--target=localhost:5100")]
    [InlineData(
        2,
        "Specify --connection or the environment variable LAB_CONNECTION",
        "replay",
        "--target",
        "http://localhost:5100"
    )]
    [InlineData(2, "Specify one stage", "run", "all", "--target", "http://localhost:5100")]
    [InlineData(1, "Nothing is running. Start the application first: `./lab up`.", "send")]
    [InlineData(2, "largest is not an exercise. Did you mean largest-prefetch?", "learn", "largest")]
    [InlineData(2, "expected the name of a file that ends with .json", "calibrate", "last", "--out", "mine")]
    [InlineData(2, "is not a run", "calibrate", "no-such-run")]
    [InlineData(2, "cannot be read", "simulate", "2", "--environment", "/nowhere.json")]
    [InlineData(2, "--hint requires an exercise", "learn", "--hint")]
    [InlineData(2, "--stage can't be combined with --workspace", "query", "throughput", "--workspace", "--stage", "4")]
    [InlineData(2, "'queueSamples' is a table of the lab", "query", "backlog", "--workspace")]
    [InlineData(2, "--seed 2147483647: expected", "simulate", "2", "--seed", "2147483647")]
    [InlineData(2, "--port 70000: expected", "collect", "--port", "70000")]
    [InlineData(
        2,
        "a run can slow or fail only services with an emulated latency; environment azure-2020 has package, dronescheduler, delivery.",
        "run",
        "2",
        "--fault",
        "slow broker x2 at 20s"
    )]
    [InlineData(
        2,
        "the load of stage 2 ends after 480 s, and a fault must start before that.",
        "run",
        "2",
        "--fault",
        "kill workflow at 490s"
    )]
    public Task Invalid_command_is_rejected_in_one_line(int exitCode, string message, params string[] arguments) =>
        LabInMemory.AssertRejectedAsync(message, arguments, exitCode);
}
