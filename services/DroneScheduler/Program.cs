using DroneDelivery.Contracts;
using DroneDelivery.Database;
using DroneDelivery.DroneScheduler;
using DroneDelivery.DroneScheduler.Fleet;
using DroneDelivery.ServiceDefaults;
using DroneDelivery.ServiceDefaults.Configuration;

var builder = WebApplication.CreateSlimBuilder(MigrateCommand.SettingsIn(args));
builder.AddServiceDefaults("dronescheduler", ContractJson.Configure);
builder.Services.AddDatabase("dronescheduler", typeof(AssignmentStore).Assembly);
builder.Services.AddValidatedOptions<RetentionOptions>(RetentionOptions.Section);
builder.Services.AddSingleton<FleetStore>();
builder.Services.AddSingleton<AssignmentStore>();
builder.Services.AddSingleton<AssignDrone>();
builder.Services.AddSingleton<RescheduleDrone>();
builder.Services.AddSingleton<ReleaseDrone>();
builder.Services.AddSingleton<UndoDrone>();
builder.Services.AddHostedService<PurgeAssignments>();

var app = builder.Build();
app.MapServiceDefaults();
app.MapDroneDeliveries();
app.MapDrones();
return await app.RunOrMigrateAsync(args);
