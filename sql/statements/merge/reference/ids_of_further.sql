-- why: an id that looks like one that Excel changed is right if the API has it
select {{key}} from main.{{table}}
