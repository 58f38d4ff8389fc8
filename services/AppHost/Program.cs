using DroneDelivery.AppHost;

// Runs the application and its dependencies as processes: `dotnet run --project services/AppHost`. Requires redis-server.
var builder = DistributedApplication.CreateBuilder(args);

var redis = builder.AddRedisServer("redis");
var queue = builder.AddLocalServiceBus("servicebus", "delivery-requests", "delivery-requests-failed");
var package = builder.AddService<Projects.Package>("package");
var drones = builder.AddService<Projects.DroneScheduler>("dronescheduler");
var delivery = builder.AddService<Projects.Delivery>("delivery").WithRedis(redis);
builder
    .AddService<Projects.Workflow>("workflow")
    .WithQueue(queue)
    .WithReference(package)
    .WithReference(drones)
    .WithReference(delivery);
builder.AddService<Projects.Ingestion>("ingestion").WithQueue(queue).WithReference(delivery);

builder.Build().Run();
